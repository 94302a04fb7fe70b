package flagsvc

import (
	"reflect"
	"time"
)

const (
	maxBatchEvents   = 1000
	maxBatchCounters = 2000
	// maxBatchBytes leaves room below 1 MiB for the frame of a batch.
	maxBatchBytes = 1<<20 - 4096
	sdkName       = "flagsvc-go-client"
	sdkVersion    = "1.0.0"
)

// cutBatch takes as much of what is pending as one batch may hold (CL-92); nil if nothing is pending.
func (q *eventQueue) cutBatch() *batch {
	made := &batch{}
	size := 0
	var events []any
	if summary := q.cutSummary(made, &size); summary != nil {
		events = append(events, summary)
	}
	for len(q.singles) > 0 && len(events) < maxBatchEvents {
		length := len(EncodeJSON(q.singles[0]))
		if size+length > maxBatchBytes {
			break
		}
		size += length + 1
		events = append(events, q.singles[0])
		q.singles = q.singles[1:]
		made.count++
		made.entries++
	}
	if len(events) == 0 {
		return nil
	}
	made.body = []byte(EncodeJSON(map[string]any{
		"batch_id": newID(),
		"sent_at":  timestamp(q.client.config.clock.Now()),
		"sdk":      map[string]any{"name": sdkName, "version": sdkVersion},
		"events":   events,
	}))
	if len(made.body) > gzipAbove {
		made.body, made.isGzip = compress(made.body), true
	}
	return made
}

func (q *eventQueue) cutSummary(made *batch, size *int) any {
	var counters []any
	for len(q.order) > 0 && len(counters) < maxBatchCounters {
		key := q.order[0]
		counter := map[string]any{
			"flag_key":        key.flagKey,
			"variation_key":   orNull(key.variation, key.hasVariation),
			"reason":          key.reason,
			"rule_id":         orNull(key.ruleID, key.hasRule),
			"ruleset_version": orNull(key.version, key.hasVersion),
			"count":           float64(q.counters[key]),
		}
		length := len(EncodeJSON(counter))
		if *size+length > maxBatchBytes {
			break
		}
		*size += length + 1
		counters = append(counters, counter)
		made.count += q.counters[key]
		made.entries++
		delete(q.counters, key)
		q.order = q.order[1:]
	}
	if counters == nil {
		return nil
	}
	// The wall clock may have been set back since the first evaluation (CL-82).
	start, end := q.since, q.client.config.clock.Now()
	if end.Before(start) {
		end = start
	}
	q.since = time.Time{}
	if len(q.order) > 0 {
		q.since = end
	}
	return map[string]any{"type": "summary", "start": timestamp(start), "end": timestamp(end), "counters": counters}
}

// isJSON reports whether JSON can hold the whole value.
func isJSON(value reflect.Value, depth int) bool {
	if depth > 100 {
		return false
	}
	switch value.Kind() {
	case reflect.Float32, reflect.Float64:
		return isFinite(value.Float())
	case reflect.Interface, reflect.Pointer:
		return value.IsNil() || isJSON(value.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		for at := 0; at < value.Len(); at++ {
			if !isJSON(value.Index(at), depth+1) {
				return false
			}
		}
		return true
	case reflect.Map:
		for _, name := range value.MapKeys() {
			if name.Kind() != reflect.String || !isJSON(value.MapIndex(name), depth+1) {
				return false
			}
		}
		return true
	case reflect.Invalid, reflect.Bool, reflect.String:
		return true
	}
	return reflect.Int <= value.Kind() && value.Kind() <= reflect.Uintptr
}
