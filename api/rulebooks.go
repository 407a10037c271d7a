package api

import (
	"net/http"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// listRulebooks is GET /api/v1/rulebooks: all of them, or a page where a limit is given. The id of an entry, for the cursors, is id@version.
func (s *Server) listRulebooks(c *call) (*answer, error) {
	all, err := s.Operations.ListRulebooks(c.r.Context())
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	cursors := []string{query.Get("starting_after"), query.Get("ending_before")}
	query.Del("starting_after")
	query.Del("ending_before")
	page, err := pageOf(query)
	if err != nil {
		return nil, err
	}
	limit := page.Limit
	if query.Get("limit") == "" {
		limit = len(all)
	}
	shown, more, err := rulebookPage(all, cursors[0], cursors[1], limit)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, struct {
		Object  string                     `json:"object"`
		Data    []operation.ListedRulebook `json:"data"`
		HasMore bool                       `json:"has_more"`
		URL     string                     `json:"url"`
	}{"list", shown, more, c.route.path}), nil
}

// rulebookPage gives a page of the list, and whether there are more beyond it.
func rulebookPage(all []operation.ListedRulebook, after, before string, limit int) (page []operation.ListedRulebook, more bool, err error) {
	at := func(field, cursor string) (int, error) {
		i := slices.IndexFunc(all, func(r operation.ListedRulebook) bool { return r.ID+"@"+r.Version == cursor })
		if i < 0 {
			return 0, badField(field, finding.InvalidValue, field+": must be a rulebook of the list as ID@VERSION")
		}
		return i, nil
	}
	from, to := 0, len(all)
	switch {
	case after != "" && before != "":
		return nil, false, badField("ending_before", finding.InvalidValue, "ending_before: cannot be combined with starting_after")
	case after != "":
		if from, err = at("starting_after", after); err == nil {
			from++
		}
	case before != "":
		to, err = at("ending_before", before)
	}
	if err != nil {
		return nil, false, err
	}
	if before != "" {
		from = max(0, to-limit)
		return all[from:to], from > 0, nil
	}
	end := min(to, from+limit)
	return all[from:end], end < to, nil
}

// diffRulebooks is GET /api/v1/rulebooks/diff.
func (s *Server) diffRulebooks(c *call) (*answer, error) {
	query := c.r.URL.Query()
	diff, err := s.Operations.DiffRulebooks(c.r.Context(), query.Get("from"), query.Get("to"))
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, diff), nil
}
