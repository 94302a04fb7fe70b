// The adapter drives the client for the conformance kit: JSON objects on stdin and stdout, one per line.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	flagsvc "flagsvc.example/client"
)

type fields = map[string]any

// errSkipped answers a command that the adapter does not know.
type errSkipped struct{ reason string }

func (e errSkipped) Error() string { return e.reason }

type adapter struct {
	output    sync.Mutex
	clock     *clock
	work      *workCount
	network   *network
	evaluator *flagsvc.Evaluator
	clients   map[string]*testedClient
}

func main() {
	// With one goroutine at a time, everything that has arrived is handled when the clock asks for it: see settle.
	runtime.GOMAXPROCS(1)
	a := &adapter{clock: newClock(), network: newNetwork(), clients: map[string]*testedClient{}}
	a.work = &workCount{}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := input.ReadString('\n')
		if err != nil && err != io.EOF || line == "" {
			return
		}
		if !a.handle(line) {
			return
		}
	}
}

// handle answers one request; false ends the program.
func (a *adapter) handle(line string) bool {
	decoded, err := flagsvc.DecodeJSON(line)
	request, isObject := decoded.(fields)
	if err != nil || !isObject {
		fmt.Fprintln(os.Stderr, "a request is not a JSON object")
		return true
	}
	command, _ := request["cmd"].(string)
	if command == "stop" {
		a.answer(request, fields{}, nil)
		return false
	}
	if waits[command] {
		// A command that waits must not hold up the next one.
		go func() { a.run(command, request) }()
		return true
	}
	a.run(command, request)
	return true
}

func (a *adapter) run(command string, request fields) {
	defer func() {
		if panicked := recover(); panicked != nil {
			a.answer(request, nil, fmt.Errorf("panic: %v", panicked))
		}
	}()
	run, known := commands[command]
	if !known {
		a.answer(request, nil, errSkipped{"unknown command " + command})
		return
	}
	value, err := run(a, request)
	a.answer(request, value, err)
}

func (a *adapter) answer(request fields, value any, err error) {
	answer := fields{"seq": request["seq"]}
	switch err := err.(type) {
	case nil:
		answer["ok"] = value
	case errSkipped:
		answer["skipped"] = fields{"reason": err.reason, "issue": nil}
	default:
		answer["error"] = fields{"kind": fmt.Sprintf("%T", err), "message": err.Error()}
	}
	a.output.Lock()
	defer a.output.Unlock()
	fmt.Println(flagsvc.EncodeJSON(answer))
}
