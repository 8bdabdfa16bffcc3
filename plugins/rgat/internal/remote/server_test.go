package remote

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fake is a server that knows what this package asks. Its address is url.
type fake struct {
	url string

	mu     sync.Mutex
	values map[string]string
	refuse string // answered to every command, if it is not empty
}

func newFake(t testing.TB) *fake {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{url: "redis://" + l.Addr().String(), values: map[string]string{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { f.serve(c) })
		}
	})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return f
}

// serve answers until the client closes the connection.
func (f *fake) serve(c net.Conn) {
	defer c.Close()
	r, w := bufio.NewReader(c), bufio.NewWriter(c)
	for {
		command, err := readCommand(r)
		if err != nil {
			return
		}
		if _, err := w.WriteString(f.answer(command)); err != nil {
			return
		}
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
	}
}

// readCommand reads an array of strings: *2 $3 GET $1 x, each on a line.
func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readCount(r, '*')
	if err != nil {
		return nil, err
	}
	words := make([]string, n)
	for i := range words {
		size, err := readCount(r, '$')
		if err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(r, word); err != nil {
			return nil, err
		}
		words[i] = string(word[:size])
	}
	return words, nil
}

func readCount(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("line %q", line)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

func (f *fake) answer(command []string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != "" {
		return "-" + f.refuse + "\r\n"
	}
	switch name := command[0]; name {
	case "PING":
		return "+PONG\r\n"
	case "SET":
		f.values[command[1]] = command[2]
		return "+OK\r\n"
	case "DEL":
		delete(f.values, command[1])
		return ":1\r\n"
	case "GET":
		if value, ok := f.values[command[1]]; ok {
			return bulk(value)
		}
		return "$-1\r\n"
	case "GETRANGE":
		first, _ := strconv.Atoi(command[2])
		last, _ := strconv.Atoi(command[3])
		value := f.values[command[1]]
		return bulk(value[min(first, len(value)):min(last+1, len(value))])
	default:
		return "-ERR unknown command " + name + "\r\n"
	}
}

func bulk(value string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(value), value) }

// keys is how many there are.
func (f *fake) keys() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.values)
}

// say makes the server answer every command with an error; empty: no longer.
func (f *fake) say(fault string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = fault
}

// lose takes all values whose key holds part.
func (f *fake) lose(part string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.values {
		if strings.Contains(key, part) {
			delete(f.values, key)
		}
	}
}
