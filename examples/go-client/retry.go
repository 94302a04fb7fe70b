package flagsvc

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// schedule says when an endpoint may be asked again: ruleset, events and stream each have one (CL-43).
type schedule struct {
	config *config
	// failures counts failures in a row.
	failures int
	// notBefore is when a wait that the server asked for ends, on the monotonic clock.
	notBefore time.Duration
	// reported holds the kinds of faults that were reported in this outage.
	reported map[Fault]bool
}

// reply is what came of a request: a response, or none.
type reply struct {
	status int
	header http.Header
	body   []byte
	// isComplete is false when there was no answer, or only a part of one.
	isComplete bool
}

func (r reply) isRedirect() bool {
	return r.status >= 300 && r.status < 400 && r.status != http.StatusNotModified
}

func (r reply) isRefused() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
}

// isPermanent reports a status after which the same request meets the same answer (CL-34, CL-47).
func (r reply) isPermanent() bool {
	switch r.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return r.isComplete && r.status >= 400 && r.status < 500
}

func (s *schedule) succeed(answer reply) {
	s.failures, s.reported = 0, nil
	s.obeyLimit(answer)
}

// fail counts a failure and returns how long to wait (CL-33 to CL-42). `first` bounds the first wait, in bases.
func (s *schedule) fail(answer reply, first float64) time.Duration {
	s.failures++
	base, random := s.config.retryBase, s.config.random
	if s.obeyLimit(answer) {
		return s.notBefore - s.config.clock.Elapsed()
	}
	bases := math.Min(300, math.Pow(2, float64(s.failures-1)))
	switch {
	case answer.isPermanent():
		bases = math.Min(300, 60*bases)
	case answer.isRedirect():
		bases = math.Min(60, bases)
	case s.failures == 1:
		bases = math.Max(bases, first)
		if first > 1 {
			return time.Duration((0.5 + (bases-0.5)*random()) * float64(base))
		}
	}
	return time.Duration(bases * (0.5 + 0.5*random()) * float64(base))
}

// obeyLimit notes a wait that the answer asks for, at most 300 bases and a tenth.
func (s *schedule) obeyLimit(answer reply) bool {
	wait := askedWait(answer.header, s.config.clock.Now())
	if wait <= 0 {
		return false
	}
	if limit := 300 * s.config.retryBase; wait > limit {
		wait = limit
	}
	spread := time.Duration(float64(wait) * 0.1 * s.config.random())
	s.notBefore = s.config.clock.Elapsed() + wait + spread
	return true
}

// askedWait returns 0 when the headers ask for no wait.
func askedWait(header http.Header, now time.Time) time.Duration {
	if text := strings.TrimSpace(header.Get("Retry-After")); text != "" {
		if isDigits(text) {
			seconds, _ := strconv.ParseFloat(text, 64)
			return time.Duration(math.Min(seconds, 1e9) * float64(time.Second))
		}
		if date, err := http.ParseTime(text); err == nil && date.After(now) {
			return date.Sub(now)
		}
	}
	if strings.TrimSpace(header.Get("X-RateLimit-Remaining")) != "0" {
		return 0
	}
	reset, err := strconv.ParseFloat(strings.TrimSpace(header.Get("X-RateLimit-Reset")), 64)
	if err != nil || !isFinite(reset) {
		return 0
	}
	return time.Duration(math.Min(reset-float64(now.UnixMilli())/1000, 1e9) * float64(time.Second))
}

// report returns the fault if this outage has not reported it yet.
func (s *schedule) report(fault Fault) (Fault, bool) {
	key := Fault{Endpoint: fault.Endpoint, Kind: fault.Kind}
	if fault.Kind == "STATUS" {
		key.Detail = fault.Detail
	}
	if s.reported[key] {
		return fault, false
	}
	if s.reported == nil {
		s.reported = map[Fault]bool{}
	}
	s.reported[key] = true
	return fault, true
}

func (r reply) fault(endpoint string) Fault {
	switch {
	case !r.isComplete:
		return Fault{endpoint, "NO_ANSWER", "no answer, or only a part of one"}
	case r.isRedirect():
		return Fault{endpoint, "REDIRECT", strconv.Itoa(r.status)}
	}
	return Fault{endpoint, "STATUS", strconv.Itoa(r.status)}
}
