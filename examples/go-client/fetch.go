package flagsvc

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// maxRulesetBytes bounds an uncompressed ruleset; the server publishes up to 20 MiB (CL-53).
const maxRulesetBytes = 32 << 20

// rulesetInUse is the ruleset from which a client answers.
type rulesetInUse struct {
	exists    bool
	version   float64
	tag       string
	evaluator *Evaluator
}

// fetcher polls the ruleset. Only one fetch is under way at a time (CL-24).
type fetcher struct {
	schedule   schedule
	isFetching bool
	cancel     func()
	stopTimer  func()
	// dueAt is when the timer fires, on the monotonic clock.
	dueAt time.Duration
	// lastGood is when the server last gave or confirmed the ruleset.
	lastGood time.Duration
	// announced is a tag that the stream named and that no fetch has brought yet.
	announced string
}

func (f *fetcher) stop() {
	if f.stopTimer != nil {
		f.stopTimer()
		f.stopTimer = nil
	}
	if f.cancel != nil {
		f.cancel()
	}
}

// fetchIn sets the time of the next fetch, not before a wait that the server asked for is over.
func (c *Client) fetchIn(wait time.Duration) {
	f := &c.fetcher
	now := c.config.clock.Elapsed()
	if least := f.schedule.notBefore - now; wait < least {
		wait = least
	}
	if f.stopTimer != nil {
		f.stopTimer()
	}
	f.dueAt = now + wait
	f.stopTimer = c.afterFunc(wait, func() {
		f.stopTimer = nil
		c.startFetch()
	})
}

// jittered is a time, plus or minus a tenth at random, so that a fleet that started together does not ask together.
func (c *config) jittered(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) * (0.9 + 0.2*c.random()))
}

func (c *Client) startFetch() {
	f := &c.fetcher
	if c.status == StatusClosed || f.isFetching {
		return
	}
	f.isFetching = true
	tag := c.ruleset.tag
	header := http.Header{"Accept": {"application/json"}}
	if tag != "" {
		header.Set("If-None-Match", tag)
	}
	// Only fetches replace the ruleset, and only one is under way, so this one stays until the fetch ends.
	before := c.ruleset.evaluator
	f.cancel = c.send("GET", "/sdk/ruleset", header, nil, func(answer reply) func() {
		frame, isRuleset := rulesetFrame{}, false
		if answer.isComplete && answer.status == http.StatusOK {
			if frame, isRuleset = decodeFrame(answer.body); isRuleset {
				frame.changed = changedFlags(before, frame.evaluator)
			}
		}
		return func() {
			f.isFetching = false
			if c.status != StatusClosed {
				c.endFetch(answer, tag, frame)
			}
		}
	})
}

func (c *Client) endFetch(answer reply, tag string, frame rulesetFrame) {
	f := &c.fetcher
	isRuleset := frame.evaluator != nil
	isConfirmed := answer.isComplete && answer.status == http.StatusNotModified && tag != ""
	if !isRuleset && !isConfirmed {
		c.failFetch(answer)
		return
	}
	f.schedule.succeed(answer)
	f.lastGood = c.config.clock.Elapsed()
	if isRuleset {
		c.takeRuleset(frame, answer.header.Get("ETag"))
	}
	c.setStatus(StatusReady)
	c.fetchIn(c.config.jittered(c.config.pollInterval))
	if f.announced != "" && f.announced != c.ruleset.tag {
		f.announced = ""
		c.fetchIn(0)
	}
	f.announced = ""
}

func (c *Client) failFetch(answer reply) {
	f := &c.fetcher
	fault := answer.fault("ruleset")
	if answer.isComplete && answer.status == http.StatusOK {
		fault = Fault{"ruleset", "NOT_A_RULESET", "the body is not a ruleset"}
	}
	c.reportFault(&f.schedule, fault)
	wait := f.schedule.fail(answer, 1)
	isRecent := c.config.clock.Elapsed()-f.lastGood < 3*c.config.pollInterval
	switch {
	case answer.isComplete && answer.isRefused():
		c.setStatus(StatusUnauthorized)
	case c.status == StatusUnauthorized || !c.ruleset.exists:
	case answer.status == http.StatusTooManyRequests && c.status == StatusReady && isRecent:
	default:
		c.setStatus(StatusStale)
	}
	c.fetchIn(wait)
}

// send sends a request in a goroutine of its own. The whole request ends at the time limit (CL-17). `read` gets the reply
// and does what takes time, such as parsing; the step that it returns runs with the client held, so that evaluations
// never wait for more than a step.
func (c *Client) send(method, path string, header http.Header, body []byte, read func(reply) func()) (cancel func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopLimit := c.config.clock.AfterFunc(c.config.requestTimeout, cancel)
	c.config.start(func() {
		answer := c.roundTrip(ctx, method, path, header, body)
		stopLimit()
		cancel()
		step := read(answer)
		c.mu.Lock()
		defer c.unlock()
		step()
	})
	return cancel
}

func (c *Client) request(ctx context.Context, method, path string, header http.Header, body []byte) *http.Request {
	var reader io.Reader
	if body != nil {
		reader = strings.NewReader(string(body))
	}
	request, _ := http.NewRequestWithContext(ctx, method, c.config.baseURL+path, reader)
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("X-API-Key", c.config.apiKey)
	return request
}

// roundTrip does not follow redirects, because a RoundTripper does not: net/http's Client would take the key along to
// another host (CL-16).
func (c *Client) roundTrip(ctx context.Context, method, path string, header http.Header, body []byte) reply {
	response, err := c.config.roundTripper.RoundTrip(c.request(ctx, method, path, header, body))
	if err != nil {
		return reply{}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(io.LimitReader(response.Body, maxRulesetBytes+1))
	isWhole := err == nil && len(read) <= maxRulesetBytes
	// Headers of an incomplete answer count: they may ask for a wait.
	return reply{response.StatusCode, response.Header, read, isWhole}
}

// rulesetFrame is a ruleset whose frame is whole (CL-50, CL-51).
type rulesetFrame struct {
	version   float64
	evaluator *Evaluator
	// changed holds the keys of the flags that may answer differently than before.
	changed []string
}

// decodeFrame reads the body of a 200.
func decodeFrame(body []byte) (rulesetFrame, bool) {
	text := strings.TrimPrefix(string(body), "\uFEFF")
	if !utf8.ValidString(text) {
		return rulesetFrame{}, false
	}
	decoded, err := DecodeJSON(text)
	fields, ok := decoded.(map[string]any)
	if err != nil || !ok {
		return rulesetFrame{}, false
	}
	return readFrame(fields["data"])
}

func readFrame(value any) (rulesetFrame, bool) {
	fields, _ := value.(map[string]any)
	version, hasVersion := fields["version"].(float64)
	_, hasEnvironment := fields["environment_id"].(string)
	flags, hasFlags := fields["flags"].([]any)
	_, hasSegments := fields["segments"].([]any)
	if !hasVersion || !isFinite(version) || !hasEnvironment || !hasFlags || !hasSegments && fields["segments"] != nil {
		return rulesetFrame{}, false
	}
	evaluator := NewEvaluator(fields)
	if len(flags) > 0 && evaluator.broken == len(flags) {
		return rulesetFrame{}, false
	}
	return rulesetFrame{version: version, evaluator: evaluator}, true
}

// takeRuleset replaces the ruleset as a whole and notifies listeners of the flags that may answer differently.
func (c *Client) takeRuleset(frame rulesetFrame, tag string) {
	c.ruleset = rulesetInUse{true, frame.version, tag, frame.evaluator}
	if len(frame.changed) > 0 {
		c.notices = append(c.notices, func() { c.config.onChange(frame.changed) })
	}
}
