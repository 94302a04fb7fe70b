package flagsvc

import "strings"

// message is one server-sent event.
type message struct{ event, data string }

// sseReader reads a stream as the HTML standard says, wherever its bytes are cut (CL-104).
type sseReader struct {
	line         []byte
	isStarted    bool
	afterReturn  bool
	event        string
	data         []string
	id, idBuffer string
}

// connect begins a new connection; the last id stays.
func (r *sseReader) connect() {
	*r = sseReader{id: r.id, idBuffer: r.id}
}

// read takes the next bytes and returns the messages that they complete.
func (r *sseReader) read(bytes []byte) []message {
	var messages []message
	for _, sign := range bytes {
		wasReturn := r.afterReturn
		r.afterReturn = sign == '\r'
		if sign == '\n' && wasReturn {
			continue
		}
		if sign != '\n' && sign != '\r' {
			r.line = append(r.line, sign)
			continue
		}
		line := string(r.line)
		r.line = r.line[:0]
		if !r.isStarted {
			r.isStarted = true
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if complete, ok := r.readLine(line); ok {
			messages = append(messages, complete)
		}
	}
	return messages
}

func (r *sseReader) readLine(line string) (message, bool) {
	if line == "" {
		r.id = r.idBuffer
		complete := message{r.event, strings.Join(r.data, "\n")}
		hasData := r.data != nil
		r.event, r.data = "", nil
		return complete, hasData
	}
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		r.event = value
	case "data":
		r.data = append(r.data, value)
	case "id":
		if !strings.Contains(value, "\x00") {
			r.idBuffer = value
		}
	}
	return message{}, false
}
