package flagsvc

import (
	"errors"
	"math/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Option changes a client's configuration.
type Option func(*config)

type config struct {
	baseURL, apiKey string
	pollInterval    time.Duration
	requestTimeout  time.Duration
	retryBase       time.Duration
	flushInterval   time.Duration
	maxPending      int
	sendsEvents     bool
	streams         bool
	bootstrap       any
	roundTripper    http.RoundTripper
	clock           Clock
	start           func(func())
	random          func() float64
	onStatus        func(Status)
	onChange        func(flagKeys []string)
	onFault         func(Fault)
}

// PollEvery sets the time between two polls; default 30 s.
func PollEvery(interval time.Duration) Option { return func(c *config) { c.pollInterval = interval } }

// RequestTimeout sets the time limit of a request, its body included; default 10 s.
func RequestTimeout(limit time.Duration) Option { return func(c *config) { c.requestTimeout = limit } }

// RetryBase sets the first wait after a failure; default 1 s.
func RetryBase(wait time.Duration) Option { return func(c *config) { c.retryBase = wait } }

// FlushEvery sets the time between two batches of events; default 30 s.
func FlushEvery(interval time.Duration) Option { return func(c *config) { c.flushInterval = interval } }

// MaxPendingEvents bounds the counters and single events that wait to be sent; default 10,000.
func MaxPendingEvents(limit int) Option { return func(c *config) { c.maxPending = limit } }

// WithoutEvents turns the reporting of evaluations off.
func WithoutEvents() Option { return func(c *config) { c.sendsEvents = false } }

// WithStream follows the server's stream, so that changes arrive within a second.
func WithStream() Option { return func(c *config) { c.streams = true } }

// WithBootstrap starts from a ruleset in JSON, such as one from a file, until the first fetch. One that is not a ruleset
// is ignored.
func WithBootstrap(ruleset []byte) Option {
	return func(c *config) { c.bootstrap, _ = DecodeJSON(string(ruleset)) }
}

// WithTransport sends requests through a transport of your own. It must not repeat requests by itself; see traps.md.
func WithTransport(transport http.RoundTripper) Option {
	return func(c *config) { c.roundTripper = transport }
}

// WithClock replaces the system's clock.
func WithClock(clock Clock) Option { return func(c *config) { c.clock = clock } }

// WithStarter starts the client's goroutines by a function of your own; each is one request.
func WithStarter(start func(func())) Option { return func(c *config) { c.start = start } }

// WithSeed makes the client's random waits repeatable.
func WithSeed(seed int64) Option {
	return func(c *config) { c.random = rand.New(rand.NewSource(seed)).Float64 }
}

// OnStatus is called after each change of the status.
func OnStatus(listen func(Status)) Option { return func(c *config) { c.onStatus = listen } }

// OnChange is called with the keys of the flags that may answer differently now.
func OnChange(listen func(flagKeys []string)) Option { return func(c *config) { c.onChange = listen } }

// OnFault is called once in an outage for each kind of fault.
func OnFault(listen func(Fault)) Option { return func(c *config) { c.onFault = listen } }

// Fault is something that went wrong. It never contains the API key.
type Fault struct {
	// Endpoint is ruleset, events or stream.
	Endpoint string
	// Kind is STATUS, REDIRECT, NO_ANSWER or NOT_A_RULESET; Detail says more, such as the status.
	Kind, Detail string
}

func newConfig(baseURL, apiKey string, options []Option) (*config, error) {
	made := &config{
		baseURL:        strings.TrimRight(baseURL, "/"),
		apiKey:         apiKey,
		pollInterval:   30 * time.Second,
		requestTimeout: 10 * time.Second,
		retryBase:      time.Second,
		flushInterval:  30 * time.Second,
		maxPending:     10_000,
		sendsEvents:    true,
		roundTripper:   newTransport(),
		clock:          newSystemClock(),
		start:          func(work func()) { go work() },
		random:         rand.New(rand.NewSource(time.Now().UnixNano())).Float64,
		onStatus:       func(Status) {},
		onChange:       func([]string) {},
		onFault:        func(Fault) {},
	}
	for _, option := range options {
		option(made)
	}
	return made, made.check()
}

func (c *config) check() error {
	parsed, err := url.Parse(c.baseURL)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" ||
		parsed.RawQuery != "" || parsed.ForceQuery || strings.Contains(c.baseURL, "#") {
		return errors.New("flagsvc: the base address must be http:// or https:// with a host, without query and fragment")
	}
	if c.apiKey == "" || strings.IndexFunc(c.apiKey, func(sign rune) bool { return sign < '!' || sign > '~' }) >= 0 {
		return errors.New("flagsvc: the API key is empty, or holds a character that a header cannot carry")
	}
	if c.pollInterval <= time.Millisecond {
		return errors.New("flagsvc: the poll interval must be longer than a millisecond")
	}
	return nil
}

// newTransport makes a transport that sends each request once. With connections that are kept alive, net/http sends a
// GET again by itself when the server closes one of them: two fetches where the client decided on one (CL-24, CL-33).
func newTransport() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return transport
}
