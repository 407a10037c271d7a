package api

// unwatched lets a body pass as it is.
type unwatched struct{}

func (unwatched) Write(p []byte) (int, error) { return len(p), nil }

func newWatcher() watcher { return unwatched{} }
