package flagsvc

import "time"

// Clock is the time that a client sees.
type Clock interface {
	// Now is the wall clock, which may be set.
	Now() time.Time
	// Elapsed is a monotonic clock.
	Elapsed() time.Duration
	// AfterFunc calls f once, after a time on the monotonic clock, unless stop is called before.
	AfterFunc(wait time.Duration, f func()) (stop func())
}

type systemClock struct{ started time.Time }

func newSystemClock() Clock { return systemClock{time.Now()} }

func (c systemClock) Now() time.Time         { return time.Now() }
func (c systemClock) Elapsed() time.Duration { return time.Since(c.started) }
func (c systemClock) AfterFunc(wait time.Duration, f func()) func() {
	timer := time.AfterFunc(wait, f)
	return func() { timer.Stop() }
}
