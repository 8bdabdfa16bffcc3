// Package browser drives a headless Chromium over the pipes of its debugging protocol, for tests of pages.
package browser

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
)

// Browser is a running Chromium with one page.
type Browser struct {
	cmd     *exec.Cmd
	to      io.WriteCloser
	session string

	mu       sync.Mutex
	next     int
	answers  map[int]chan message
	requests []string
	loaded   chan struct{}
}

// message is a message of the protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts the program at path, with a profile in dir.
func Start(path, dir string) (*Browser, error) {
	theirIn, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	from, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), to.Close())
	}
	b := &Browser{to: to, answers: map[int]chan message{}, loaded: make(chan struct{}, 1)}
	b.cmd = exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--remote-debugging-pipe", "--no-first-run", "--user-data-dir="+dir, "about:blank")
	b.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	err = b.cmd.Start()
	err = errors.Join(err, theirIn.Close(), theirOut.Close())
	if err != nil {
		return nil, err
	}
	go b.read(from)
	return b, b.attach()
}

// Close ends the browser.
func (b *Browser) Close() {
	_ = b.to.Close() // the browser ends with its pipe
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
}

// read dispatches messages until the pipe ends.
func (b *Browser) read(from io.ReadCloser) {
	defer from.Close()
	for in := bufio.NewReader(from); ; {
		text, err := in.ReadBytes(0)
		var m message
		if err == nil {
			err = json.Unmarshal(text[:len(text)-1], &m)
		}
		b.mu.Lock()
		if err != nil {
			for id, waiting := range b.answers {
				close(waiting)
				delete(b.answers, id)
			}
			b.mu.Unlock()
			return
		}
		b.dispatch(m)
		b.mu.Unlock()
	}
}

// dispatch dispatches one message. The caller holds the lock.
func (b *Browser) dispatch(m message) {
	switch m.Method {
	case "":
		if waiting := b.answers[m.ID]; waiting != nil {
			waiting <- m
			delete(b.answers, m.ID)
		}
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(m.Params, &p) == nil {
			b.requests = append(b.requests, p.Request.URL)
		}
	case "Page.loadEventFired":
		select {
		case b.loaded <- struct{}{}:
		default:
		}
	}
}

// Call calls a method of the protocol. result may be nil.
func (b *Browser) Call(method string, params map[string]any, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	waiting := make(chan message, 1)
	b.mu.Lock()
	b.next++
	m := message{ID: b.next, Session: b.session, Method: method, Params: text}
	b.answers[m.ID] = waiting
	b.mu.Unlock()
	if text, err = json.Marshal(m); err != nil {
		return err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return err
	}
	answer, ok := <-waiting
	switch {
	case !ok:
		return fmt.Errorf("%s: the browser has ended", method)
	case answer.Error != nil:
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// attach opens the page and begins a session with it.
func (b *Browser) attach() error {
	var target struct{ TargetID string }
	err := b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	if err != nil {
		return err
	}
	var attached struct{ SessionID string }
	err = b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	if err != nil {
		return err
	}
	b.session = attached.SessionID
	return errors.Join(b.Call("Page.enable", nil, nil), b.Call("Network.enable", nil, nil), b.Call("Log.enable", nil, nil))
}

// Open loads a page in a window of the given size, with the colour scheme light or dark. It returns the addresses that
// the page requested.
func (b *Browser) Open(url string, width, height int, scheme string) (requests []string, err error) {
	b.mu.Lock()
	b.requests = nil
	b.mu.Unlock()
	err = errors.Join(
		b.Call("Emulation.setDeviceMetricsOverride", map[string]any{
			"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
		}, nil),
		b.Call("Emulation.setEmulatedMedia", map[string]any{
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
		}, nil),
		b.Call("Page.navigate", map[string]any{"url": url}, nil))
	if err != nil {
		return nil, err
	}
	<-b.loaded
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.requests...), nil
}

// Eval evaluates JavaScript from outside of the page, whose policy forbids inline scripts, and decodes the value into
// result.
func (b *Browser) Eval(script string, result any) error {
	var out struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct{ Text string }
	}
	err := b.Call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &out)
	if err != nil {
		return err
	}
	if out.ExceptionDetails != nil {
		return fmt.Errorf("%s: %s", script, out.ExceptionDetails.Text)
	}
	return json.Unmarshal(out.Result.Value, result)
}

// Press presses a key.
func (b *Browser) Press(key string, code int) error {
	down := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		down["text"] = "\r"
	}
	return errors.Join(b.Call("Input.dispatchKeyEvent", down, nil), b.Call("Input.dispatchKeyEvent",
		map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil))
}

// Screenshot returns a PNG of the whole page, up to most pixels high.
func (b *Browser) Screenshot(width, maxHeight int) ([]byte, error) {
	var height int
	if err := b.Eval("document.documentElement.scrollHeight", &height); err != nil {
		return nil, err
	}
	var shot struct{ Data string }
	err := b.Call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": 0, "width": width, "height": min(height, maxHeight), "scale": 1}}, &shot)
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}

// CountSheets returns the number of A4 sheets of the printed page.
func (b *Browser) CountSheets() (int, error) {
	var printed struct{ Data string }
	err := b.Call("Page.printToPDF", map[string]any{"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": true},
		&printed)
	if err != nil {
		return 0, err
	}
	text, err := base64.StdEncoding.DecodeString(printed.Data)
	if err != nil {
		return 0, err
	}
	return len(sheetPattern.FindAll(text, -1)), nil
}

// sheetPattern matches the entry of each page in a PDF.
var sheetPattern = regexp.MustCompile(`/Type\s*/Page\b`)
