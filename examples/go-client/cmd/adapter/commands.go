package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	flagsvc "flagsvc.example/client"
)

// commands run one after the other, except for those of waits.
var commands map[string]func(*adapter, fields) (any, error)

var waits = map[string]bool{"client.ready": true, "client.flush": true, "client.close": true}

func init() {
	commands = map[string]func(*adapter, fields) (any, error){
		"hello":              hello,
		"load":               load,
		"evaluate":           evaluate,
		"bucket":             bucket,
		"client.create":      create,
		"client.evaluate":    clientEvaluate,
		"client.evaluateAll": clientEvaluateAll,
		"client.status":      clientStatus,
		"client.ready":       clientReady,
		"client.flush":       clientFlush,
		"client.close":       clientClose,
		"client.track":       clientTrack,
		"notifications":      notifications,
		"memory":             memory,
		"reset":              reset,
		"clock.start":        clockStart,
		"clock.advance":      clockAdvance,
		"clock.sleep":        clockSleep,
		"clock.jump":         clockJump,
		"clock.stop":         clockStop,
	}
}

func hello(*adapter, fields) (any, error) {
	capabilities := []any{"evaluate", "polling", "events", "track", "bootstrap", "sse", "clock", "process", "memory",
		"bucket", "gzip", "strict-utf8"}
	return fields{
		"name": "go-client", "version": "1.0.0", "language": "go", "runtime": runtime.Version(),
		"bucketing": []any{1.0, 2.0, 3.0}, "capabilities": capabilities,
		"inapplicable": fields{
			"workers": "goroutines share the memory of their process",
			"fork":    "a Go program cannot fork and go on in both processes",
		},
	}, nil
}

func load(a *adapter, request fields) (any, error) {
	a.evaluator = flagsvc.NewEvaluator(decodeTags(request["ruleset"]))
	return fields{}, nil
}

// each runs a command for one call, or for each of a list.
func each(request fields, run func(fields) any) (any, error) {
	calls, isList := request["calls"].([]any)
	if !isList {
		return run(request), nil
	}
	results := make([]any, len(calls))
	for at, call := range calls {
		results[at] = run(call.(fields))
	}
	return fields{"results": results}, nil
}

func evaluate(a *adapter, request fields) (any, error) {
	return each(request, func(call fields) any {
		key, _ := call["flag"].(string)
		return resultFields(a.evaluator.Evaluate(key, flagsvc.ContextFromJSON(decodeTags(call["context"]))))
	})
}

func bucket(_ *adapter, request fields) (any, error) {
	return each(request, func(call fields) any {
		flagKey, _ := call["flag"].(string)
		user, _ := call["user"].(string)
		revision := 1
		if given, ok := call["bucketing"].(float64); ok {
			revision = int(given)
		}
		hash := flagsvc.Hash(flagKey, user, revision)
		return fields{"hash": float64(hash), "bucket": float64(hash % 100)}
	})
}

func resultFields(result flagsvc.Result) fields {
	return fields{
		"value": encodeTags(result.Value), "reason": result.Reason,
		"rule_id": orNull(result.RuleID), "variation_key": orNull(result.VariationKey),
	}
}

func orNull(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// testedClient is a client with what its listeners received.
type testedClient struct {
	*flagsvc.Client
	mu       sync.Mutex
	changes  []any
	statuses []any
	errors   []any
}

func (t *testedClient) add(list *[]any, item any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*list = append(*list, item)
}

func create(a *adapter, request fields) (any, error) {
	config, _ := request["config"].(fields)
	duration := func(name string) time.Duration {
		milliseconds, _ := config[name].(float64)
		return time.Duration(milliseconds * float64(time.Millisecond))
	}
	tested := &testedClient{}
	options := []flagsvc.Option{
		flagsvc.WithClock(a.clock),
		flagsvc.WithStarter(a.work.start),
		flagsvc.WithTransport(a.network.transport),
		flagsvc.OnStatus(func(status flagsvc.Status) { tested.add(&tested.statuses, string(status)) }),
		flagsvc.OnChange(func(keys []string) { tested.add(&tested.changes, toList(keys)) }),
		flagsvc.OnFault(func(fault flagsvc.Fault) {
			tested.add(&tested.errors, fields{"code": fault.Kind, "detail": fault.Endpoint + " " + fault.Detail})
		}),
	}
	for name, option := range map[string]func(time.Duration) flagsvc.Option{
		"pollIntervalMs": flagsvc.PollEvery, "requestTimeoutMs": flagsvc.RequestTimeout,
		"retryBaseMs": flagsvc.RetryBase, "flushIntervalMs": flagsvc.FlushEvery,
	} {
		if _, isGiven := config[name]; isGiven {
			options = append(options, option(duration(name)))
		}
	}
	if limit, ok := config["maxPendingEvents"].(float64); ok {
		options = append(options, flagsvc.MaxPendingEvents(int(limit)))
	}
	if seed, ok := config["seed"].(float64); ok {
		options = append(options, flagsvc.WithSeed(int64(seed)))
	}
	if config["events"] == false {
		options = append(options, flagsvc.WithoutEvents())
	}
	if config["stream"] == true {
		options = append(options, flagsvc.WithStream())
	}
	if bootstrap, isGiven := config["bootstrap"]; isGiven {
		options = append(options, flagsvc.WithBootstrap([]byte(flagsvc.EncodeJSON(decodeTags(bootstrap)))))
	}
	baseURL, _ := config["baseUrl"].(string)
	apiKey, _ := config["apiKey"].(string)
	client, err := flagsvc.New(baseURL, apiKey, options...)
	if err != nil {
		return nil, err
	}
	tested.Client = client
	a.clients[request["id"].(string)] = tested
	return fields{}, nil
}

func toList(texts []string) []any {
	list := make([]any, len(texts))
	for at, text := range texts {
		list[at] = text
	}
	return list
}

func (a *adapter) client(request fields) (*testedClient, error) {
	id, _ := request["id"].(string)
	if client, ok := a.clients[id]; ok {
		return client, nil
	}
	return nil, fmt.Errorf("there is no client %q", id)
}

func clientEvaluate(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	key, _ := request["flag"].(string)
	context := flagsvc.ContextFromJSON(decodeTags(request["context"]))
	return resultFields(client.Evaluate(key, context, decodeTags(request["fallback"]))), nil
}

func clientEvaluateAll(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	results := fields{}
	for key, result := range client.EvaluateAll(flagsvc.ContextFromJSON(decodeTags(request["context"]))) {
		results[key] = resultFields(result)
	}
	return results, nil
}

func clientStatus(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	counts := client.EventCounts()
	status := fields{
		"status": string(client.Status()), "ruleset_version": nil,
		"recorded": float64(counts.Recorded), "delivered": float64(counts.Delivered),
		"pending": float64(counts.Pending), "dropped": float64(counts.Dropped),
	}
	if version, exists := client.RulesetVersion(); exists {
		status["ruleset_version"] = version
	}
	return status, nil
}

// limited returns a context that ends when the clock has reached the request's time limit.
func (a *adapter) limited(request fields) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	milliseconds, isGiven := request["timeoutMs"].(float64)
	if !isGiven {
		return ctx, cancel
	}
	stop := a.clock.AfterFunc(time.Duration(milliseconds*float64(time.Millisecond)), cancel)
	return ctx, func() { stop(); cancel() }
}

func clientReady(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	ctx, end := a.limited(request)
	defer end()
	return fields{"status": string(client.WaitReady(ctx))}, nil
}

func clientFlush(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	client.Flush(context.Background())
	return fields{}, nil
}

func clientClose(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	ctx, end := a.limited(request)
	defer end()
	client.Close(ctx)
	return fields{}, nil
}

func clientTrack(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	name, _ := request["event"].(string)
	data, _ := decodeTags(request["data"]).(fields)
	var value *float64
	switch given := data["value"].(type) {
	case nil:
	case float64:
		value = &given
	default:
		invalid := math.NaN()
		value = &invalid
	}
	properties, isObject := data["properties"].(fields)
	if !isObject && data["properties"] != nil {
		properties = fields{"invalid": make(chan int)}
	}
	units, _ := data["units"].(fields)
	told := flagsvc.TrackData{Value: value, Units: units, Properties: properties}
	client.Track(name, flagsvc.ContextFromJSON(decodeTags(request["context"])), told)
	return fields{}, nil
}

func notifications(a *adapter, request fields) (any, error) {
	client, err := a.client(request)
	if err != nil {
		return nil, err
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	taken := fields{
		"changes":  append([]any{}, client.changes...),
		"statuses": append([]any{}, client.statuses...),
		"errors":   append([]any{}, client.errors...),
		"logs":     []any{},
	}
	client.changes, client.statuses, client.errors = nil, nil, nil
	return taken, nil
}

func memory(*adapter, fields) (any, error) {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return fields{"heapBytes": float64(stats.HeapAlloc)}, nil
}

func reset(a *adapter, _ fields) (any, error) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, client := range a.clients {
		client.Close(ended)
	}
	a.clients = map[string]*testedClient{}
	// Requests of the old clients may still be ending, and do not count as pending.
	a.work = &workCount{}
	return fields{}, nil
}
