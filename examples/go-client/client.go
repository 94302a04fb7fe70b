package flagsvc

import (
	"context"
	"reflect"
	"sync"
	"time"
)

// Status is the state of a client, in one word.
type Status string

// The statuses of a client (CL-69 to CL-74).
const (
	StatusInitializing Status = "initializing"
	StatusCached       Status = "cached"
	StatusReady        Status = "ready"
	StatusStale        Status = "stale"
	StatusUnauthorized Status = "unauthorized"
	StatusClosed       Status = "closed"
)

// Client fetches the ruleset of an environment, keeps it up to date and evaluates its flags. It is safe for concurrent
// use. Create one per environment and keep it for the life of the program.
type Client struct {
	config *config
	// mu guards everything below. Listeners are called without it, in order: see notify.
	mu       sync.Mutex
	status   Status
	changed  chan struct{}
	notices  []func()
	notifies bool

	ruleset rulesetInUse
	fetcher fetcher
	stream  *stream
	events  *eventQueue
}

// New creates a client and starts its first fetch. It returns an error for options that cannot work; a server that is
// down is no error.
func New(baseURL, apiKey string, options ...Option) (*Client, error) {
	config, err := newConfig(baseURL, apiKey, options)
	if err != nil {
		return nil, err
	}
	client := &Client{config: config, status: StatusInitializing, changed: make(chan struct{})}
	client.ruleset.evaluator = NewEvaluator(nil)
	client.fetcher.schedule.config = config
	client.events = newEventQueue(client)
	client.mu.Lock()
	defer client.unlock()
	if frame, ok := readFrame(config.bootstrap); ok {
		frame.changed = changedFlags(client.ruleset.evaluator, frame.evaluator)
		client.takeRuleset(frame, "")
		client.setStatus(StatusCached)
	}
	client.startFetch()
	if config.streams {
		client.stream = newStream(client)
		client.stream.open()
	}
	return client, nil
}

// unlock releases the client, then calls the listeners that were queued while it was held. One goroutine at a time does
// so, so that listeners see changes in their order.
func (c *Client) unlock() {
	if c.notifies {
		c.mu.Unlock()
		return
	}
	c.notifies = true
	for len(c.notices) > 0 {
		notices := c.notices
		c.notices = nil
		c.mu.Unlock()
		for _, notice := range notices {
			notice()
		}
		c.mu.Lock()
	}
	c.notifies = false
	c.mu.Unlock()
}

func (c *Client) setStatus(status Status) {
	if c.status == status || c.status == StatusClosed {
		return
	}
	c.status = status
	c.notices = append(c.notices, func() { c.config.onStatus(status) })
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Client) reportFault(s *schedule, fault Fault) {
	if fault, isNew := s.report(fault); isNew {
		c.notices = append(c.notices, func() { c.config.onFault(fault) })
	}
}

// Status returns the present status.
func (c *Client) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// RulesetVersion returns the version of the ruleset in use; false before the first one.
func (c *Client) RulesetVersion() (float64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ruleset.version, c.ruleset.exists
}

// WaitReady waits until the client can answer from a ruleset, its key is refused, or it is closed, at most until the
// context ends. It returns the status of that moment; the client goes on trying.
func (c *Client) WaitReady(ctx context.Context) Status {
	for {
		c.mu.Lock()
		status, changed := c.status, c.changed
		c.mu.Unlock()
		if status != StatusInitializing {
			return status
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return c.Status()
		}
	}
}

// Bool evaluates a flag; fallback is returned while there is no ruleset, and for a flag that is unknown or no boolean.
func (c *Client) Bool(flagKey string, user Context, fallback bool) bool {
	return c.Evaluate(flagKey, user, fallback).Value.(bool)
}

// String evaluates a flag whose values are strings.
func (c *Client) String(flagKey string, user Context, fallback string) string {
	return c.Evaluate(flagKey, user, fallback).Value.(string)
}

// Number evaluates a flag whose values are numbers.
func (c *Client) Number(flagKey string, user Context, fallback float64) float64 {
	return c.Evaluate(flagKey, user, fallback).Value.(float64)
}

// Evaluate evaluates a flag and says why it has its value. A value of another JSON type than the fallback is not served
// (CL-63); a fallback of nil accepts every type.
func (c *Client) Evaluate(flagKey string, user Context, fallback any) Result {
	c.mu.Lock()
	defer c.unlock()
	result := c.ruleset.evaluator.Evaluate(flagKey, user)
	if result.Reason == ReasonFlagNotFound {
		result.Value = fallback
	} else if fallback != nil && typeOf(result.Value) != typeOf(fallback) {
		result.Value, result.VariationKey = fallback, nil
	}
	c.events.recordEvaluation(flagKey, user, result)
	return result
}

// EvaluateAll evaluates every flag of the ruleset, without reporting it: a page that lists flags does not use them.
func (c *Client) EvaluateAll(user Context) map[string]Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	results := map[string]Result{}
	for _, key := range c.ruleset.evaluator.keys {
		results[key] = c.ruleset.evaluator.Evaluate(key, user)
	}
	return results
}

// TrackData says more about what a user did. Every field may be nil.
type TrackData struct {
	Value *float64
	// Units for which the action counts besides the user, by attribute, such as "company_id". The client adds those of
	// the context's attributes that rules assign.
	Units      map[string]any
	Properties map[string]any
}

// Track reports what a user did.
func (c *Client) Track(name string, user Context, data TrackData) {
	c.mu.Lock()
	defer c.unlock()
	c.events.recordTrack(name, user, data)
}

// EventCounts says what became of evaluations, exposures and track events: Recorded = Delivered + Pending + Dropped.
type EventCounts struct{ Recorded, Delivered, Pending, Dropped int }

// EventCounts returns the counts since the client was created.
func (c *Client) EventCounts() EventCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events.counts()
}

// Flush sends pending events now, and returns after one attempt or when the context ends.
func (c *Client) Flush(ctx context.Context) {
	c.mu.Lock()
	done := c.events.flush()
	c.unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Close sends pending events, at most until the context ends, and stops the client. A closed client goes on answering
// from its last ruleset. Go has no hook at the end of a program: defer Close in main, or what is pending is lost.
func (c *Client) Close(ctx context.Context) {
	c.mu.Lock()
	if c.status == StatusClosed {
		c.mu.Unlock()
		return
	}
	c.setStatus(StatusClosed)
	c.fetcher.stop()
	if c.stream != nil {
		c.stream.close()
	}
	done := c.events.flushAll()
	c.unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
	c.mu.Lock()
	c.events.close()
	c.unlock()
}

// typeOf returns the JSON type of a value.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return typeOf(toJSON(reflect.ValueOf(value), 0))
}

// afterFunc runs a step of the client when the time has come, unless it is stopped or the client closed before.
func (c *Client) afterFunc(wait time.Duration, step func()) (stop func()) {
	if wait < 0 {
		wait = 0
	}
	isStopped := false
	stopTimer := c.config.clock.AfterFunc(wait, func() {
		c.mu.Lock()
		defer c.unlock()
		if !isStopped {
			step()
		}
	})
	return func() {
		isStopped = true
		stopTimer()
	}
}
