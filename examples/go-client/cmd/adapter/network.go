package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// workCount counts the goroutines of clients, each of which is a request.
type workCount struct {
	mu           sync.Mutex
	began, ended int
}

func (w *workCount) start(work func()) {
	w.mu.Lock()
	w.began++
	w.mu.Unlock()
	go func() {
		work()
		w.mu.Lock()
		w.ended++
		w.mu.Unlock()
	}()
}

func (w *workCount) running() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.began - w.ended
}

func (w *workCount) changes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.began + w.ended
}

// network knows all open connections, so that it can tell whether something has arrived that was not read.
type network struct {
	transport *http.Transport
	mu        sync.Mutex
	open      map[*watchedConn]bool
}

type watchedConn struct {
	*net.TCPConn
	network *network
}

func newNetwork() *network {
	made := &network{open: map[*watchedConn]bool{}}
	made.transport = http.DefaultTransport.(*http.Transport).Clone()
	// As the client's own transport: net/http would repeat requests by itself.
	made.transport.DisableKeepAlives = true
	made.transport.Proxy = nil
	made.transport.DialContext = func(ctx context.Context, kind, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, kind, address)
		if err != nil {
			return nil, err
		}
		watched := &watchedConn{conn.(*net.TCPConn), made}
		made.mu.Lock()
		made.open[watched] = true
		made.mu.Unlock()
		return watched, nil
	}
	return made
}

func (w *watchedConn) Close() error {
	w.network.mu.Lock()
	delete(w.network.open, w)
	w.network.mu.Unlock()
	return w.TCPConn.Close()
}

// hasUnread asks the kernel for bytes that no Read has taken.
func (w *watchedConn) hasUnread() bool {
	raw, err := w.SyscallConn()
	if err != nil {
		return false
	}
	var count int32
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&count)))
	})
	return count > 0
}

func (n *network) hasUnread() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.open {
		if conn.hasUnread() {
			return true
		}
	}
	return false
}

const (
	pause     = 200 * time.Microsecond
	calmTimes = 3
	longest   = 2 * time.Second
)

// settle returns when the clients have read what has arrived and acted on it. With one goroutine at a time, each pause
// lets every goroutine run that can.
func (a *adapter) settle() {
	started := time.Now()
	for calm := 0; calm < calmTimes && time.Since(started) < longest; {
		before := a.work.changes()
		time.Sleep(pause)
		if a.network.hasUnread() || a.work.changes() != before {
			calm = 0
		} else {
			calm++
		}
	}
}
