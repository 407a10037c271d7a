package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/templates"
)

// Templates keeps the saved templates; *templates.Store does.
type Templates interface {
	Create(ctx context.Context, of templates.Owner, c templates.Change, along ...templates.Along) (templates.Template, error)
	Get(ctx context.Context, of templates.Owner, templateID string, version int) (templates.Template, error)
	List(ctx context.Context, of templates.Owner, p db.Page) ([]templates.Template, bool, error)
	Update(ctx context.Context, of templates.Owner, templateID string, c templates.Change) (templates.Template, error)
	Delete(ctx context.Context, of templates.Owner, templateID string) error
}

var _ Templates = (*templates.Store)(nil)

const templatesPath = "/api/v1/templates"

var adminTemplates = administer("admin:templates")

var templateRoutes = []route{
	{"createTemplate", http.MethodPost, templatesPath, adminTemplates, (*Server).createTemplate},
	{"listTemplates", http.MethodGet, templatesPath, adminTemplates, (*Server).listTemplates},
	{"getTemplate", http.MethodGet, templatesPath + "/{id}", adminTemplates, (*Server).getTemplate},
	{"updateTemplate", http.MethodPut, templatesPath + "/{id}", adminTemplates, (*Server).updateTemplate},
	{"deleteTemplate", http.MethodDelete, templatesPath + "/{id}", adminTemplates, (*Server).deleteTemplate},
	{"previewTemplate", http.MethodPost, templatesPath + "/{id}/preview", printSome, (*Server).order},
}

// templateView is a saved template as the API shows it.
type templateView struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Version  int              `json:"version"`
	Mode     account.Mode     `json:"mode"`
	Template jsontext.Value   `json:"template,omitzero"` // not in lists
	Created  time.Time        `json:"created"`
	Updated  time.Time        `json:"updated"`
	Infos    []operation.Info `json:"infos,omitzero"` // on its members that mean nothing
}

func viewOfTemplate(c *call, t templates.Template) templateView {
	return templateView{ID: t.ID, Name: t.Name, Version: t.Version, Mode: c.key.Mode, Template: t.Text, Created: t.Created, Updated: t.Updated}
}

// ownerOf is whose templates a key sees.
func ownerOf(c *call) templates.Owner {
	return templates.Owner{Account: c.key.AccountID, Mode: c.key.Mode}
}

// safeTemplate is an id that can be looked for.
func safeTemplate(id string) string {
	if !safeID(id) {
		return "none"
	}
	return id
}

// templateChange reads what a template is to be, and checks it. The name is that in the template where the request tells none.
func (s *Server) templateChange(c *call) (templates.Change, []operation.Info, error) {
	var body struct {
		Name     string         `json:"name"`
		Version  int            `json:"version"`
		Template jsontext.Value `json:"template"`
	}
	if err := s.readMembers(c, &body); err != nil {
		return templates.Change{}, nil, err
	}
	switch body.Template.Kind() {
	case '{':
	case 'n', 0:
		return templates.Change{}, nil, badField("template", finding.MissingField, "template is required")
	default:
		return templates.Change{}, nil, badField("template", finding.InvalidType, "template must be an object")
	}
	if err := s.Jobs.Admit(c.r.Context(), c.key.AccountID, int64(len(body.Template))); err != nil {
		return templates.Change{}, nil, err
	}
	infos, err := s.Operations.CheckTemplate(body.Template)
	if err != nil {
		return templates.Change{}, nil, err
	}
	if body.Name == "" {
		var named struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(body.Template, &named); err != nil { // it was read already
			return templates.Change{}, nil, fmt.Errorf("read the name of a template: %w", err)
		}
		body.Name = named.Name
	}
	return templates.Change{Name: body.Name, Text: body.Template, Of: body.Version}, infos, nil
}

// refusalOfTemplate gives the public half of an error of the store (supplement §1, rule 6).
func refusalOfTemplate(c *call, err error) error {
	refuse := func(kind finding.Kind, message string) error {
		return &finding.Refusal{Kind: kind, Message: message, Cause: err}
	}
	invalid, isInvalid := errors.AsType[*templates.InvalidError](err)
	switch {
	case isInvalid:
		return badField(invalid.Field, finding.InvalidValue, invalid.Error())
	case errors.Is(err, templates.ErrNotFound):
		id, _ := c.variable("id")
		return refuse(finding.NotFound, fmt.Sprintf("Template with ID %s not found", clip(id)))
	case errors.Is(err, templates.ErrTooMany):
		return refuse(finding.Conflict, "The account has as many templates in this mode as it may have; delete one first")
	case errors.Is(err, templates.ErrChanged):
		return refuse(finding.Conflict, "version: the template was changed meanwhile; get it, and change it as it is now")
	}
	return err
}

// createTemplate is POST /api/v1/templates.
func (s *Server) createTemplate(c *call) (*answer, error) {
	change, infos, err := s.templateChange(c)
	if err != nil {
		return nil, err
	}
	var a *answer
	_, err = s.Templates.Create(c.r.Context(), ownerOf(c), change, func(tx *db.Tx, t templates.Template) error {
		view := viewOfTemplate(c, t)
		view.Infos = infos
		a = jsonAnswer(http.StatusOK, view)
		return s.keep(c, tx, a)
	})
	if err != nil {
		return nil, refusalOfTemplate(c, err)
	}
	return a, nil
}

// versionOf reads which version is asked for; 0 for the present one.
func versionOf(query url.Values) (int, error) {
	text := query.Get("version")
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseInt(text, 10, 31)
	if err != nil || version < 1 {
		return 0, badField("version", finding.InvalidValue, "version: must be a whole number from 1 on")
	}
	return int(version), nil
}

// getTemplate is GET /api/v1/templates/{id}.
func (s *Server) getTemplate(c *call) (*answer, error) {
	version, err := versionOf(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	t, err := s.Templates.Get(c.r.Context(), ownerOf(c), c.id(), version)
	if err != nil {
		return nil, refusalOfTemplate(c, err)
	}
	return jsonAnswer(http.StatusOK, viewOfTemplate(c, t)), nil
}

// listTemplates is GET /api/v1/templates.
func (s *Server) listTemplates(c *call) (*answer, error) {
	return listing[templates.Template, templateView]{
		path: templatesPath,
		list: func(p db.Page) ([]templates.Template, bool, error) {
			return s.Templates.List(c.r.Context(), ownerOf(c), p)
		},
		id:   func(t templates.Template) string { return t.ID },
		show: func(t templates.Template) (templateView, bool) { return viewOfTemplate(c, t), true },
	}.answer(c.r.URL.Query())
}

// updateTemplate is PUT /api/v1/templates/{id}: a new version.
func (s *Server) updateTemplate(c *call) (*answer, error) {
	change, infos, err := s.templateChange(c)
	if err != nil {
		return nil, err
	}
	t, err := s.Templates.Update(c.r.Context(), ownerOf(c), c.id(), change)
	if err != nil {
		return nil, refusalOfTemplate(c, err)
	}
	view := viewOfTemplate(c, t)
	view.Infos = infos
	return jsonAnswer(http.StatusOK, view), nil
}

// deleteTemplate is DELETE /api/v1/templates/{id}. The answer is the template as it was.
func (s *Server) deleteTemplate(c *call) (*answer, error) {
	t, err := s.Templates.Get(c.r.Context(), ownerOf(c), c.id(), 0)
	if err == nil {
		err = s.Templates.Delete(c.r.Context(), ownerOf(c), t.ID)
	}
	if err != nil {
		return nil, refusalOfTemplate(c, err)
	}
	return jsonAnswer(http.StatusOK, viewOfTemplate(c, t)), nil
}
