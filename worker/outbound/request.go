package outbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// Response is what a host has answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // at most what was asked for
	Cut    bool   // there was more
}

// Post sends body to a URL and gives the answer, whatever its status, with at most keep bytes of its body; what comes of the body
// after the status does not matter. The error is a *Failure.
func (c *Client) Post(ctx context.Context, url string, header http.Header, body []byte, keep int64) (Response, error) {
	res, _, err := c.do(ctx, http.MethodPost, url, header, body, keep)
	return res, err
}

// GetWith asks a URL and gives the answer, whatever its status, with at most keep bytes of its body. The error is a *Failure.
func (c *Client) GetWith(ctx context.Context, url string, header http.Header, keep int64) (Response, error) {
	res, _, err := c.do(ctx, http.MethodGet, url, header, nil, keep)
	return res, err
}

// Get reads a document of at most most bytes; anything but a whole answer with status 200 is an error. The error is a *Failure.
func (c *Client) Get(ctx context.Context, url string, most int64) (Response, error) {
	res, cause, err := c.do(ctx, http.MethodGet, url, http.Header{"Accept": {"*/*"}}, nil, most)
	switch {
	case err != nil:
		return Response{}, err
	case slices.Contains([]int{301, 302, 303, 307, 308}, res.Status):
		return Response{}, c.count(refused(ReasonRedirect, res.Header.Get("Location")))
	case res.Status != http.StatusOK:
		return Response{}, c.count(refused(ReasonStatus, fmt.Sprint(res.Status)))
	case cause != nil:
		return Response{}, c.count(failureOf(ctx, cause))
	case res.Cut:
		return Response{}, c.count(refused(ReasonTooLarge, fmt.Sprintf("more than %d bytes", most)))
	}
	return res, nil
}

// do makes one request. The second result is why the body ended early.
func (c *Client) do(ctx context.Context, method, url string, header http.Header, body []byte, keep int64) (Response, error, error) {
	target, f := c.parse(url)
	if f != nil {
		return Response{}, nil, c.count(f)
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return Response{}, nil, c.count(&Failure{Reason: ReasonURL, Cause: err})
	}
	for name, values := range header {
		req.Header[name] = values
	}
	answer, err := c.transport.RoundTrip(req) // the transport follows no redirect and keeps no cookie
	if err == nil && ctx.Err() != nil {
		// An answer to our hanging up, which came in between, is none in time.
		err = errors.Join(ctx.Err(), answer.Body.Close())
	}
	if err != nil {
		return Response{}, nil, c.count(failureOf(ctx, err))
	}
	res := Response{Status: answer.StatusCode, Header: answer.Header}
	res.Body, err = io.ReadAll(io.LimitReader(answer.Body, keep+1))
	if int64(len(res.Body)) > keep {
		res.Body, res.Cut = res.Body[:keep], true
	}
	return res, errors.Join(err, answer.Body.Close()), nil
}
