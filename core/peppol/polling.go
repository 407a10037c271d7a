package peppol

import (
	"cmp"
	"time"
)

// Polling says how often, and how long, a provider is asked what became of a message that it has taken.
type Polling struct {
	FirstSeconds   int `json:"firstSeconds,omitzero"`   // the pause before it is asked for the first time; each further one is twice as long. Default: 60.
	LongestSeconds int `json:"longestSeconds,omitzero"` // the longest pause. Default: 3600.
	Hours          int `json:"hours,omitzero"`          // after so many without a receipt the message has failed. Default: 72.
}

const (
	defaultFirst   = 60
	defaultLongest = 3600
	defaultHours   = 72
	mostSeconds    = 24 * 60 * 60
	mostHours      = 30 * 24
)

// fits tells whether the numbers are within their bounds.
func (p Polling) fits() bool {
	return p.FirstSeconds >= 0 && p.FirstSeconds <= mostSeconds && p.LongestSeconds >= 0 && p.LongestSeconds <= mostSeconds && p.Hours >= 0 && p.Hours <= mostHours
}

// Pause is the time before the provider is asked again, which was asked so many times.
func (p Polling) Pause(asked int) time.Duration {
	pause, longest := time.Duration(cmp.Or(p.FirstSeconds, defaultFirst))*time.Second, time.Duration(cmp.Or(p.LongestSeconds, defaultLongest))*time.Second
	longest = max(pause, longest)
	for ; asked > 0 && pause < longest; asked-- {
		pause *= 2
	}
	return min(pause, longest)
}

// Limit is the time after which a message without a receipt has failed.
func (p Polling) Limit() time.Duration {
	return time.Duration(cmp.Or(p.Hours, defaultHours)) * time.Hour
}

// FirstQuestion is the time after which the provider is asked what became of a message that it has taken; zero where it is not polled.
func (p Provider) FirstQuestion() time.Duration {
	if p.Polling == nil || p.StatusURL == "" {
		return 0
	}
	return p.Polling.Pause(0)
}

// statusMapping is how the answers of StatusURL are read.
func (p Provider) statusMapping() Mapping {
	if p.StatusAnswer != nil {
		return *p.StatusAnswer
	}
	return p.Answer
}

// ForStatus is the same provider for the answers of StatusURL: with their mapping, and without statuses that say a message was taken.
func (p Provider) ForStatus() Provider {
	p.Answer, p.Taken = p.statusMapping(), nil
	return p
}
