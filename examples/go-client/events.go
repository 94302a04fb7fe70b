package flagsvc

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"reflect"
	"time"
	"unicode/utf8"
)

const (
	maxKeyLength       = 1024
	maxTrackLength     = 4096
	gzipAbove          = 4096
	maxRememberedUsers = 50_000
)

// counterKey is what one counter counts (CL-78). Absent parts are empty, and said to be absent.
type counterKey struct {
	flagKey, variation, reason, ruleID string
	hasVariation, hasRule, hasVersion  bool
	version                            float64
}

// eventQueue counts evaluations and sends them in batches. Its methods run with the client held.
type eventQueue struct {
	client   *Client
	schedule schedule
	counters map[counterKey]int
	order    []counterKey
	since    time.Time
	singles  []any
	exposed  map[[4]string]time.Duration
	// batch is under way, or waits to be sent again (CL-87).
	batch     *batch
	isSending bool
	cancel    func()
	isClosed  bool
	stopTimer func()
	waiting   []*flushCall

	recorded, delivered, dropped int
}

// batch is the body of a request, which never changes, and the number of evaluations and events in it.
type batch struct {
	body    []byte
	isGzip  bool
	count   int
	entries int
}

// flushCall is a caller that waits for pending events to be sent.
type flushCall struct {
	done chan struct{}
	// drains is true for a close, which sends until nothing is left or an attempt fails.
	drains bool
	tries  int
}

func newEventQueue(client *Client) *eventQueue {
	made := &eventQueue{client: client, counters: map[counterKey]int{}, exposed: map[[4]string]time.Duration{}}
	made.schedule.config = client.config
	return made
}

func (q *eventQueue) isOff() bool {
	return q.isClosed || !q.client.config.sendsEvents || q.client.status == StatusClosed
}

func (q *eventQueue) recordEvaluation(flagKey string, user Context, result Result) {
	if q.isOff() {
		return
	}
	q.recorded++
	if !isName(flagKey) {
		q.dropped++
		return
	}
	ruleset := &q.client.ruleset
	key := counterKey{flagKey: flagKey, reason: result.Reason, hasVersion: ruleset.exists, version: ruleset.version}
	if result.VariationKey != nil {
		key.variation, key.hasVariation = *result.VariationKey, true
	}
	if result.RuleID != nil {
		key.ruleID, key.hasRule = *result.RuleID, true
	}
	if _, exists := q.counters[key]; !exists && !q.hasRoom() {
		q.dropped++
	} else {
		if !exists {
			q.order = append(q.order, key)
			if q.since.IsZero() {
				q.since = q.client.config.clock.Now()
			}
		}
		q.counters[key]++
	}
	q.recordExposure(flagKey, user, key)
	q.recordedOne()
}

// recordExposure reports a user, a unit, a flag and a variation once an hour (CL-94, CL-95, CL-129).
func (q *eventQueue) recordExposure(flagKey string, user Context, key counterKey) {
	found, exists := q.client.ruleset.evaluator.flags[flagKey]
	if !exists || !found.tracksExposures || !key.hasVariation {
		return
	}
	by, unit := found.exposedUnit(key.ruleID, user)
	if by == "" && user.userKey == "" || by != "" && !isName(unit) {
		return
	}
	now := q.client.config.clock.Elapsed()
	seen := [4]string{user.userKey, unit, flagKey, key.variation}
	if last, ok := q.exposed[seen]; ok && now-last < time.Hour {
		return
	}
	q.recorded++
	if !q.hasRoom() || by == "" && !isName(user.userKey) {
		q.dropped++
		return
	}
	if len(q.exposed) >= maxRememberedUsers {
		q.exposed = map[[4]string]time.Duration{}
	}
	q.exposed[seen] = now
	event := q.newEvent("exposure", user)
	event["flag_key"] = flagKey
	event["variation_key"] = key.variation
	event["reason"] = key.reason
	event["rule_id"] = orNull(key.ruleID, key.hasRule)
	event["ruleset_version"] = orNull(key.version, key.hasVersion)
	if by != "" {
		event["unit"] = map[string]any{"by": by, "key": unit}
	}
	q.singles = append(q.singles, event)
}

func (q *eventQueue) recordTrack(name string, user Context, data TrackData) {
	if q.isOff() {
		return
	}
	q.recorded++
	event := q.newEvent("track", user)
	event["event_name"] = name
	units := trackedUnits(q.client.ruleset.evaluator.unitNames, user, data.Units)
	if len(units) > 0 {
		event["units"] = units
	}
	isValid := isName(name) && (isName(user.userKey) || len(units) > 0)
	if data.Value != nil {
		event["value"] = *data.Value
		isValid = isValid && isFinite(*data.Value)
	}
	if data.Properties != nil {
		event["properties"] = toJSON(reflect.ValueOf(data.Properties), 0)
		isValid = isValid && isJSON(reflect.ValueOf(data.Properties), 0)
	}
	if !isValid || !q.hasRoom() || len(EncodeJSON(event)) > maxTrackLength {
		q.dropped++
		return
	}
	q.singles = append(q.singles, event)
	q.recordedOne()
}

// newEvent returns the fields that every single event has. An event of units alone has no user key.
func (q *eventQueue) newEvent(kind string, user Context) map[string]any {
	event := map[string]any{"type": kind, "id": newID(), "timestamp": timestamp(q.client.config.clock.Now())}
	if isName(user.userKey) {
		event["user_key"] = user.userKey
	}
	return event
}

func (q *eventQueue) entries() int {
	count := len(q.order) + len(q.singles)
	if q.batch != nil {
		count += q.batch.entries
	}
	return count
}

func (q *eventQueue) hasRoom() bool { return q.entries() < q.client.config.maxPending }

// recordedOne sets the time of the next batch; half of the room is a reason not to wait for it (CL-85).
func (q *eventQueue) recordedOne() {
	if q.batch != nil || len(q.order)+len(q.singles) == 0 {
		return
	}
	if 2*q.entries() >= q.client.config.maxPending && q.schedule.failures == 0 {
		q.sendNow()
	} else if q.stopTimer == nil {
		q.sendIn(q.client.config.jittered(q.client.config.flushInterval))
	}
}

func (q *eventQueue) sendIn(wait time.Duration) {
	if least := q.schedule.notBefore - q.client.config.clock.Elapsed(); wait < least {
		wait = least
	}
	if q.stopTimer != nil {
		q.stopTimer()
	}
	q.stopTimer = q.client.afterFunc(wait, func() {
		q.stopTimer = nil
		q.sendNow()
	})
}

// mustWait reports a wait that the server asked for, which neither a flush nor a close cuts short (CL-44).
func (q *eventQueue) mustWait() bool { return q.schedule.notBefore > q.client.config.clock.Elapsed() }

// sendNow starts a request, unless one is under way, nothing is pending, or the server asked for a wait.
func (q *eventQueue) sendNow() {
	if q.isSending || q.isClosed {
		return
	}
	if q.batch == nil {
		q.batch = q.cutBatch()
	}
	if q.batch == nil {
		return
	}
	if q.mustWait() {
		q.sendIn(0)
		return
	}
	if q.stopTimer != nil {
		q.stopTimer()
		q.stopTimer = nil
	}
	q.isSending = true
	header := http.Header{"Content-Type": {"application/json"}}
	if q.batch.isGzip {
		header.Set("Content-Encoding", "gzip")
	}
	q.cancel = q.client.send("POST", "/sdk/events", header, q.batch.body, func(answer reply) func() {
		return func() { q.sent(answer) }
	})
}

func (q *eventQueue) sent(answer reply) {
	q.isSending = false
	if q.isClosed {
		return
	}
	isDelivered := answer.status >= 200 && answer.status < 300
	if isDelivered {
		q.delivered += q.batch.count
		q.batch = nil
		q.schedule.succeed(answer)
	} else {
		q.client.reportFault(&q.schedule, answer.fault("events"))
		wait := q.schedule.fail(answer, 1)
		if answer.isPermanent() {
			q.dropped += q.batch.count
			q.batch = nil
		}
		if q.batch != nil || len(q.order)+len(q.singles) > 0 {
			q.sendIn(wait)
		}
	}
	q.answerFlushes(isDelivered)
	if isDelivered && q.batch == nil && !q.isSending {
		q.recordedOne()
	}
}

// answerFlushes ends the flushes whose attempt is over, and goes on for those that want more sent.
func (q *eventQueue) answerFlushes(isDelivered bool) {
	var left []*flushCall
	for _, call := range q.waiting {
		call.tries++
		hasMore := len(q.order)+len(q.singles) > 0
		if isDelivered && hasMore && (call.drains || call.tries == 1) && !q.mustWait() {
			left = append(left, call)
		} else {
			close(call.done)
		}
	}
	q.waiting = left
	if len(left) > 0 {
		q.sendNow()
	}
}

// flush sends what is pending; the channel is closed after one attempt.
func (q *eventQueue) flush() <-chan struct{} {
	return q.startFlush(&flushCall{done: make(chan struct{})})
}

// flushAll sends until nothing is left, or an attempt fails.
func (q *eventQueue) flushAll() <-chan struct{} {
	return q.startFlush(&flushCall{done: make(chan struct{}), drains: true})
}

func (q *eventQueue) startFlush(call *flushCall) <-chan struct{} {
	if !q.isSending {
		if !q.mustWait() {
			q.sendNow()
		}
		// This attempt is the one that the call is about; one that was under way is not.
		call.tries = 1
	}
	if q.isSending {
		q.waiting = append(q.waiting, call)
	} else {
		close(call.done)
	}
	return call.done
}

// close drops what is left.
func (q *eventQueue) close() {
	q.dropped += q.pending()
	q.isClosed, q.batch, q.counters, q.order, q.singles = true, nil, map[counterKey]int{}, nil, nil
	if q.stopTimer != nil {
		q.stopTimer()
	}
	if q.isSending {
		q.cancel()
	}
	for _, call := range q.waiting {
		close(call.done)
	}
	q.waiting = nil
}

func (q *eventQueue) pending() int {
	count := len(q.singles)
	for _, times := range q.counters {
		count += times
	}
	if q.batch != nil {
		count += q.batch.count
	}
	return count
}

func (q *eventQueue) counts() EventCounts {
	return EventCounts{q.recorded, q.delivered, q.pending(), q.dropped}
}

func newID() string {
	// Not from the seeded numbers: two clients with one seed must not share an id (CL-90).
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

// isName reports whether the server accepts a text as a key or a name.
func isName(text string) bool { return text != "" && utf8.RuneCountInString(text) <= maxKeyLength }

func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func orNull[T any](value T, exists bool) any {
	if !exists {
		return nil
	}
	return value
}

func compress(body []byte) []byte {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write(body)
	_ = writer.Close()
	return packed.Bytes()
}
