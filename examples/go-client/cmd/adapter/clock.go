package main

import (
	"sync"
	"time"
)

// clock is the time of all clients: the system's, or one that stands still until the kit advances it.
type clock struct {
	mu        sync.Mutex
	isVirtual bool
	started   time.Time
	// wall and elapsed are the virtual wall clock and monotonic clock.
	wall    time.Time
	elapsed time.Duration
	timers  []*timer
}

type timer struct {
	at  time.Duration
	run func()
}

func newClock() *clock { return &clock{started: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isVirtual {
		return c.wall
	}
	return time.Now()
}

func (c *clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isVirtual {
		return c.elapsed
	}
	return time.Since(c.started)
}

func (c *clock) AfterFunc(wait time.Duration, run func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isVirtual {
		real := time.AfterFunc(wait, run)
		return func() { real.Stop() }
	}
	made := &timer{at: c.elapsed + wait, run: run}
	c.timers = append(c.timers, made)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.remove(made)
	}
}

func (c *clock) remove(wanted *timer) {
	for at, one := range c.timers {
		if one == wanted {
			c.timers = append(c.timers[:at:at], c.timers[at+1:]...)
			return
		}
	}
}

// next takes the first timer that is due by then; nil if there is none. The clocks move to its time.
func (c *clock) next(by time.Duration) *timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var first *timer
	for _, one := range c.timers {
		if one.at <= by && (first == nil || one.at < first.at) {
			first = one
		}
	}
	if first != nil {
		c.remove(first)
		c.moveTo(first.at)
	}
	return first
}

func (c *clock) moveTo(at time.Duration) {
	if at > c.elapsed {
		c.wall = c.wall.Add(at - c.elapsed)
		c.elapsed = at
	}
}

func milliseconds(request fields, name string) time.Duration {
	given, _ := request[name].(float64)
	return time.Duration(given * float64(time.Millisecond))
}

func clockStart(a *adapter, request fields) (any, error) {
	c := a.clock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isVirtual, c.elapsed, c.timers = true, 0, nil
	c.wall = time.UnixMilli(0).Add(milliseconds(request, "now"))
	return fields{}, nil
}

func clockStop(a *adapter, _ fields) (any, error) {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	a.clock.isVirtual, a.clock.timers = false, nil
	return fields{}, nil
}

// clockAdvance stops after a timer that sent a request, so that the answer can arrive before the clock goes on.
func clockAdvance(a *adapter, request fields) (any, error) {
	c := a.clock
	a.settle()
	end := c.Elapsed() + milliseconds(request, "ms")
	for {
		before := a.work.changes()
		due := c.next(end)
		if due == nil {
			break
		}
		due.run()
		a.settle()
		if a.work.changes() == before {
			continue
		}
		for also := c.next(c.Elapsed()); also != nil; also = c.next(c.Elapsed()) {
			also.run()
			a.settle()
		}
		return a.advanced(end - c.Elapsed()), nil
	}
	c.mu.Lock()
	c.moveTo(end)
	c.mu.Unlock()
	return a.advanced(0), nil
}

func (a *adapter) advanced(left time.Duration) fields {
	return fields{"left": float64(left) / float64(time.Millisecond), "pending": float64(a.work.running())}
}

func clockSleep(a *adapter, request fields) (any, error) {
	c := a.clock
	c.mu.Lock()
	c.moveTo(c.elapsed + milliseconds(request, "ms"))
	now := c.elapsed
	var due []*timer
	for _, one := range append([]*timer(nil), c.timers...) {
		if one.at <= now {
			due = append(due, one)
			c.remove(one)
		}
	}
	c.mu.Unlock()
	for _, one := range due {
		one.run()
	}
	a.settle()
	return a.advanced(0), nil
}

func clockJump(a *adapter, request fields) (any, error) {
	a.clock.mu.Lock()
	defer a.clock.mu.Unlock()
	a.clock.wall = a.clock.wall.Add(milliseconds(request, "ms"))
	return fields{}, nil
}
