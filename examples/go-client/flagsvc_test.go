package flagsvc

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
	"time"
)

const oneFlag = `{"version": %d, "environment_id": "env", "segments": null, "flags": [{
	"key": "checkout", "enabled": true, "default_variation": "off",
	"variations": [{"key": "on", "value": true}, {"key": "off", "value": false}],
	"targeting_rules": [{"id": "rule_1", "priority": 1, "variation": "on", "conditions": [
		{"attribute": "plan", "operator": "is", "value": "pro"}]}]}]}`

// startServer serves a ruleset whose version grows with each fetch, and counts what it is asked.
func startServer(t *testing.T) (url string, batches func() int) {
	t.Helper()
	var mu sync.Mutex
	version, received := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if request.URL.Path == "/api/v1/sdk/events" {
			_, _ = io.Copy(io.Discard, request.Body)
			received++
			answer.WriteHeader(http.StatusAccepted)
			return
		}
		version++
		answer.Header().Set("ETag", fmt.Sprintf(`"%d"`, version))
		fmt.Fprintf(answer, `{"data": `+oneFlag+`}`, version)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/api/v1", func() int {
		mu.Lock()
		defer mu.Unlock()
		return received
	}
}

func soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	time.AfterFunc(30*time.Second, cancel)
	return ctx
}

func TestEvaluatesWhileRulesetsChange(t *testing.T) {
	url, batches := startServer(t)
	client, err := New(url, "sdk-key", PollEvery(5*time.Millisecond), FlushEvery(5*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if status := client.WaitReady(soon()); status != StatusReady {
		t.Fatalf("the status is %s", status)
	}
	var group sync.WaitGroup
	for worker := 0; worker < 4; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for count := 0; count < 2000; count++ {
				user := NewContext(fmt.Sprint(count)).With("plan", "pro")
				if !client.Bool("checkout", user, false) {
					t.Error("a user of the plan pro got false")
				}
				if got := client.String("checkout", user, "default"); got != "default" {
					t.Errorf("a boolean was served as %q", got)
				}
			}
		}()
	}
	group.Wait()
	client.Close(soon())
	counts := client.EventCounts()
	if counts.Recorded != 16_000 || counts.Delivered != counts.Recorded || counts.Pending != 0 || batches() == 0 {
		t.Fatalf("%+v in %d batches", counts, batches())
	}
}

func TestListenersMayCallTheClient(t *testing.T) {
	url, _ := startServer(t)
	var client *Client
	done := make(chan Status, 8)
	created := make(chan struct{})
	client, err := New(url, "sdk-key", OnStatus(func(Status) {
		<-created
		done <- client.Status()
		client.Bool("checkout", NewContext("u"), false)
	}))
	if err != nil {
		t.Fatal(err)
	}
	close(created)
	if status := <-done; status != StatusReady {
		t.Fatalf("a listener saw the status %s", status)
	}
	client.Close(soon())
}

func TestRefusesOptionsThatCannotWork(t *testing.T) {
	for _, url := range []string{"", "ftp://host", "http://", "http://host?x=1", "http://host#x", "host:80"} {
		if _, err := New(url, "sdk-key"); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
	for _, key := range []string{"", "a b", "a\n", "ü"} {
		if _, err := New("http://host", key); err == nil {
			t.Errorf("the key %q was accepted", key)
		}
	}
	if _, err := New("http://host", "key", PollEvery(0)); err == nil {
		t.Error("a poll interval of 0 was accepted")
	}
}

func TestContextTakesGoValues(t *testing.T) {
	type plan string
	user := NewContext("u").With("a", 3).With("b", uint8(4)).With("c", float32(0.5)).
		With("d", []string{"x"}).With("e", plan("pro")).With("f", make(chan int)).With("g", []any{1, nil, true})
	for name, want := range map[string]any{
		"a": 3.0, "b": 4.0, "c": 0.5, "d": []any{"x"}, "e": "pro", "f": nil, "g": []any{1.0, nil, true}, "user_key": "u",
	} {
		if got := user.attribute(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, not %#v", name, got, want)
		}
	}
	if other := user.With("a", 5); user.attribute("a") != 3.0 || other.attribute("a") != 5.0 {
		t.Error("With changed the context")
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for _, text := range []string{
		`{"a":[1,-0.5,1e+300,"\ud800x",null,true],"ü":"😀\u0000"}`, `[]`, `""`, `0`, `"\udc00\ud800"`,
	} {
		value, err := DecodeJSON(text)
		if err != nil || EncodeJSON(value) != text {
			t.Errorf("%s became %s, %v", text, EncodeJSON(value), err)
		}
	}
	for _, text := range []string{
		``, `{`, `[1,]`, `{"a":1,}`, `01`, `1.`, `.5`, `+1`, `1e`, `nul`, `"a`, "\"\n\"", `"\x"`, `"\u12"`, `[1] 2`, `--1`, `NaN`,
	} {
		if value, err := DecodeJSON(text); err == nil {
			t.Errorf("%q was read as %#v", text, value)
		}
	}
}

func TestClientWithoutServerServesDefaults(t *testing.T) {
	client, err := New("http://127.0.0.1:9/api/v1", "sdk-key", RetryBase(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if status := client.WaitReady(ctx); status != StatusInitializing {
		t.Errorf("the status is %s", status)
	}
	if got := client.Evaluate("checkout", NewContext("u"), 7); got.Value != 7 || got.Reason != ReasonFlagNotFound {
		t.Errorf("got %+v", got)
	}
	client.Close(ctx)
	client.Close(ctx)
}

func ExampleEvaluator() {
	ruleset, _ := DecodeJSON(fmt.Sprintf(oneFlag, 1))
	evaluator := NewEvaluator(ruleset)
	result := evaluator.Evaluate("checkout", NewContext("u-17").With("plan", "pro"))
	fmt.Println(result.Value, result.Reason, *result.RuleID, *result.VariationKey)
	// Output: true TARGETING_RULE rule_1 on
}
