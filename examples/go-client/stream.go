package flagsvc

import (
	"context"
	"math"
	"mime"
	"net/http"
	"time"
)

// deadAfter is how long a connection may be silent: two and a half of the server's comment intervals (CL-110).
const deadAfter = 37500 * time.Millisecond

// stream follows the server's announcements beside the polls. Its methods run with the client held.
type stream struct {
	client   *Client
	schedule schedule
	reader   sseReader
	// cancel ends the present connection; nil between connections.
	cancel    func()
	stopTimer func()
	stopDead  func()
	// namedTag is the last tag that the present connection named.
	namedTag string
	// returnIn is the wait after a goodbye; 0 after an ordinary end.
	returnIn time.Duration
}

func newStream(client *Client) *stream {
	made := &stream{client: client}
	made.schedule.config = client.config
	return made
}

func (s *stream) close() {
	if s.stopTimer != nil {
		s.stopTimer()
	}
	if s.cancel != nil {
		s.cancel()
	}
}

func (s *stream) openIn(wait time.Duration) {
	if least := s.schedule.notBefore - s.client.config.clock.Elapsed(); wait < least {
		wait = least
	}
	s.stopTimer = s.client.afterFunc(wait, s.open)
}

func (s *stream) open() {
	c := s.client
	if c.status == StatusClosed {
		return
	}
	header := http.Header{"Accept": {"text/event-stream"}, "Cache-Control": {"no-cache"}}
	if s.reader.id != "" {
		header.Set("Last-Event-ID", s.reader.id)
	}
	s.reader.connect()
	s.namedTag, s.returnIn = "", 0
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	// Until the headers have come, the time limit of a request holds (CL-115).
	s.stopDead = c.config.clock.AfterFunc(c.config.requestTimeout, cancel)
	c.config.start(func() {
		defer cancel()
		response, err := c.config.roundTripper.RoundTrip(c.request(ctx, "GET", "/sdk/stream", header, nil))
		if err != nil {
			s.held(func() { s.refused(reply{}) })
			return
		}
		defer response.Body.Close()
		kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
		if response.StatusCode != http.StatusOK || kind != "text/event-stream" {
			s.held(func() { s.refused(reply{status: response.StatusCode, header: response.Header, isComplete: true}) })
			return
		}
		s.held(func() {
			s.schedule.succeed(reply{header: response.Header})
			s.watch()
		})
		buffer := make([]byte, 16<<10)
		for {
			count, err := response.Body.Read(buffer)
			isOpen := false
			s.held(func() { isOpen = s.take(buffer[:count]) })
			if err != nil || !isOpen {
				break
			}
		}
		s.held(s.ended)
	})
}

func (s *stream) held(step func()) {
	s.client.mu.Lock()
	defer s.client.unlock()
	step()
}

// watch ends a connection that stays silent.
func (s *stream) watch() {
	s.stopDead()
	s.stopDead = s.client.config.clock.AfterFunc(deadAfter, s.cancel)
}

// refused handles a stream that could not be opened (CL-114).
func (s *stream) refused(answer reply) {
	s.stopDead()
	if s.client.status == StatusClosed {
		return
	}
	fault := answer.fault("stream")
	s.client.reportFault(&s.schedule, fault)
	s.openIn(s.schedule.fail(answer, 15))
}

// ended opens the stream again after it was open: at random, or when a goodbye says so.
func (s *stream) ended() {
	s.stopDead()
	c := s.client
	if c.status == StatusClosed {
		return
	}
	wait := s.returnIn
	if wait == 0 {
		wait = time.Duration(10 * float64(c.config.retryBase) * c.config.random())
	}
	s.openIn(wait)
}

// take handles bytes; false ends the connection.
func (s *stream) take(bytes []byte) bool {
	c := s.client
	if c.status == StatusClosed {
		return false
	}
	if len(bytes) == 0 {
		return true
	}
	s.watch()
	for _, one := range s.reader.read(bytes) {
		if !s.handle(one) {
			return false
		}
	}
	// A stream that names the ruleset in use replaces the polls (CL-109).
	f := &c.fetcher
	if s.namedTag != "" && s.namedTag == c.ruleset.tag && !f.isFetching && f.schedule.failures == 0 {
		if wait := c.config.jittered(c.config.pollInterval); c.config.clock.Elapsed()+wait > f.dueAt {
			c.fetchIn(wait)
		}
	}
	return true
}

// handle handles one message; false ends the connection.
func (s *stream) handle(one message) bool {
	switch one.event {
	case "ruleset.updated", "ruleset.snapshot", "heartbeat", "goodbye":
	default:
		return true
	}
	decoded, err := DecodeJSON(one.data)
	fields, isObject := decoded.(map[string]any)
	if err != nil || !isObject {
		return false
	}
	if one.event == "goodbye" {
		if milliseconds, ok := fields["retry_ms"].(float64); ok && milliseconds > 0 && isFinite(milliseconds) {
			longest := float64(300*s.client.config.retryBase) / float64(time.Millisecond)
			s.returnIn = time.Duration(math.Min(milliseconds, longest) * float64(time.Millisecond))
		}
		return false
	}
	tag, ok := fields["etag"].(string)
	if !ok {
		return false
	}
	within, _ := fields["refetch_within_ms"].(float64)
	s.announced(tag, within)
	return true
}

// announced fetches when the tag is not that of the ruleset in use (CL-106 to CL-108).
func (s *stream) announced(tag string, withinMs float64) {
	c := s.client
	f := &c.fetcher
	s.namedTag = tag
	switch {
	case f.isFetching:
		f.announced = tag
	case tag != c.ruleset.tag && f.schedule.failures == 0:
		if !(withinMs > 0) {
			withinMs = 0
		}
		wait := time.Duration(math.Min(withinMs, 5000) * c.config.random() * float64(time.Millisecond))
		if c.config.clock.Elapsed()+wait < f.dueAt {
			c.fetchIn(wait)
		}
	}
}
