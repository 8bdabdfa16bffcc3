package client_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// A usual answer: 20 ms to the first of 16 tokens, then one every 5 ms.
const (
	hostileWait = 20 * time.Millisecond
	hostileGap  = 5 * time.Millisecond
	token       = `"content":" w"`
)

type talk = openaitest.ModeAnswer

// hostile are all modes.
func hostile() []mode {
	return slices.Concat(framings(), contents(), countings(), failures(), silences())
}

// good is a mode with a good answer of the usual times.
func good(name string, answer func(t *talk)) mode {
	return mode{Mode: openaitest.Mode{Name: name, Answer: answer}, ttft: hostileWait, tpot: hostileGap}
}

// bad is a mode whose answer fails, and says why.
func bad(name string, status metrics.Status, says string, answer func(t *talk)) mode {
	return mode{Mode: openaitest.Mode{Name: name, Answer: answer}, status: status, says: says}
}

// flood is a mode whose answer fails after megabytes, and says why.
func flood(name, says string, answer func(t *talk)) mode {
	m := bad(name, metrics.Faulty, says, answer)
	m.floods = true
	return m
}

// usual writes an answer with events of tokens made by another function, and what ends them.
func usual(t *talk, event func(i int) string, fields ...string) {
	t.WriteHead(fields...)
	time.Sleep(hostileWait)
	for i := range hostileTokens {
		if i > 0 {
			time.Sleep(hostileGap)
		}
		t.WriteChunk(event(i))
	}
}

func plain(int) string { return openaitest.Delta(token) }

// framings are ways to write the same answer.
func framings() []mode {
	rewritten := func(old, new string) func(t *talk) {
		return func(t *talk) {
			usual(t, func(int) string { return strings.ReplaceAll(plain(0), old, new) })
			t.WriteChunk(strings.ReplaceAll(openaitest.Finish+openaitest.Usage(hostileTokens)+openaitest.Done, old, new))
			t.WriteEnd()
		}
	}
	framed := func(event func(i int) string, fields ...string) func(t *talk) {
		return func(t *talk) {
			usual(t, event, fields...)
			t.WriteTail(hostileTokens)
		}
	}
	late := func(d time.Duration) time.Duration { return d - hostileWait }
	modes := []mode{
		good("normal", framed(plain)),
		good("lines end with CRLF", rewritten("\n", "\r\n")),
		good("lines end with CR", rewritten("\n", "\r")),
		good("no blank behind data:", rewritten("data: ", "data:")),
		good("fields beside data", rewritten("data: ", "event: message\nid: 7\nretry: 10\ndata: ")),
		good("data of several lines", rewritten(`{"choices":[{`, "{\"choices\":\ndata: [{")),
		good("comments between", framed(func(int) string { return ": ping\n\n" + plain(0) + ": ping\n\n" })),
		good("a byte at a time", func(t *talk) {
			usual(t, func(int) string { return "" + plain(0)[:1] })
		}),
		good("a mark of byte order", func(t *talk) {
			t.WriteHead()
			time.Sleep(hostileWait)
			t.WriteChunk("\ufeff")
			t.WriteTokens(hostileTokens, hostileGap)
			t.WriteTail(hostileTokens)
		}),
		good("extensions of chunks and trailers", func(t *talk) {
			t.WriteHead("Trailer: X-A")
			time.Sleep(hostileWait)
			for i := range hostileTokens {
				if i > 0 {
					time.Sleep(hostileGap)
				}
				t.WriteRaw(fmt.Sprintf("%X;ext=1;q=\"z\"\r\n%s\r\n", len(plain(0)), plain(0)))
			}
			t.WriteChunk(openaitest.Finish + openaitest.Usage(hostileTokens) + openaitest.Done)
			t.WriteRaw("0\r\nX-A: b\r\n\r\n")
		}),
		good("HTTP/1.0", func(t *talk) {
			t.Last = true
			t.WriteRaw("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			time.Sleep(hostileWait)
			for i := range hostileTokens {
				if i > 0 {
					time.Sleep(hostileGap)
				}
				t.WriteRaw(plain(0))
			}
			t.WriteRaw(openaitest.Finish + openaitest.Usage(hostileTokens) + openaitest.Done)
		}),
		good("interim heads", func(t *talk) {
			t.WriteRaw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
			framed(plain)(t)
		}),
		good("names in small letters", func(t *talk) {
			t.WriteRaw("HTTP/1.1 200 OK\r\ncontent-type: TEXT/Event-Stream; Charset=UTF-8\r\ntransfer-encoding: Chunked\r\n\r\n")
			time.Sleep(hostileWait)
			t.WriteTokens(hostileTokens, hostileGap)
			t.WriteTail(hostileTokens)
		}),
		good("a head of 40 kB", framed(plain, strings.Repeat("X-Y: "+strings.Repeat("y", 1000)+"\r\n", 39)+"X-Z: z")),
		good("Connection: close", func(t *talk) {
			t.Last = true
			framed(plain, "Connection: close")(t)
		}),
		good("closed without a word", func(t *talk) {
			t.Last = true
			framed(plain)(t)
		}),
		good("open for a second behind the end", func(t *talk) {
			usual(t, plain)
			t.WriteChunk(openaitest.Finish + openaitest.Usage(hostileTokens) + openaitest.Done)
			time.Sleep(time.Second)
			t.WriteEnd()
		}),
		good("no [DONE]", func(t *talk) {
			usual(t, plain)
			t.WriteChunk(openaitest.Finish + openaitest.Usage(hostileTokens))
			t.WriteEnd()
		}),
		good("no reason of the end", func(t *talk) {
			usual(t, plain)
			t.WriteChunk(openaitest.Usage(hostileTokens) + openaitest.Done)
			t.WriteEnd()
		}),
		{Mode: openaitest.Mode{Name: "all in one piece", Answer: func(t *talk) {
			t.WriteHead()
			time.Sleep(900 * time.Millisecond)
			t.WriteChunk(strings.Repeat(plain(0), hostileTokens) + openaitest.Finish + openaitest.Usage(hostileTokens) +
				openaitest.Done)
			t.WriteEnd()
		}}, ttft: 900 * time.Millisecond, says: "all their tokens at once"},
		{Mode: openaitest.Mode{Name: "held back with a length", Answer: func(t *talk) {
			time.Sleep(900 * time.Millisecond)
			t.WriteWhole("200 OK", "text/event-stream", strings.Repeat(plain(0), hostileTokens)+openaitest.Finish+
				openaitest.Usage(hostileTokens)+openaitest.Done)
		}}, ttft: 900 * time.Millisecond, says: "all their tokens at once"},
		{Mode: openaitest.Mode{Name: "held back behind its role", Answer: func(t *talk) {
			t.WriteHead()
			t.WriteChunk(openaitest.Role)
			time.Sleep(900 * time.Millisecond)
			t.WriteChunk(strings.Repeat(plain(0), hostileTokens))
			time.Sleep(time.Millisecond)
			t.WriteTail(hostileTokens)
		}}, ttft: 900 * time.Millisecond, says: "all their tokens at once"},
		{Mode: openaitest.Mode{Name: "quick tokens behind a long prompt", Answer: func(t *talk) {
			t.WriteHead()
			time.Sleep(900 * time.Millisecond)
			t.WriteTokens(hostileTokens, 2*time.Microsecond)
			t.WriteTail(hostileTokens)
		}}, ttft: 900 * time.Millisecond, tpot: 2 * time.Microsecond},
		{Mode: openaitest.Mode{Name: "four tokens a chunk", Answer: func(t *talk) {
			t.WriteHead()
			time.Sleep(hostileWait)
			t.WriteTokens(hostileTokens/4, 4*hostileGap)
			t.WriteTail(hostileTokens)
		}}, ttft: hostileWait, tpot: hostileGap * 4 * 3 / 15},
		{Mode: openaitest.Mode{Name: "the role long before the first token", Answer: func(t *talk) {
			t.WriteHead()
			t.WriteChunk(openaitest.Role)
			time.Sleep(200 * time.Millisecond)
			t.WriteTokens(hostileTokens, hostileGap)
			t.WriteTail(hostileTokens)
		}}, ttft: 200 * time.Millisecond, tpot: hostileGap},
		{Mode: openaitest.Mode{Name: "the count long after the last token", Answer: func(t *talk) {
			usual(t, plain)
			time.Sleep(late(time.Second))
			t.WriteTail(hostileTokens)
		}}, ttft: hostileWait, tpot: hostileGap},
	}
	at := slices.IndexFunc(modes, func(m mode) bool { return m.Name == "a byte at a time" })
	modes[at].Answer = func(t *talk) {
		t.WriteHead()
		time.Sleep(hostileWait)
		for i := range hostileTokens {
			if i > 0 {
				time.Sleep(hostileGap)
			}
			for _, b := range []byte(openaitest.Delta(`"content":" wé漢😀"`)) {
				t.WriteChunk(string([]byte{b}))
			}
		}
		t.WriteTail(hostileTokens)
	}
	return modes
}

// contents are ways to say the same.
func contents() []mode {
	as := func(name string, event func(i int) string) mode {
		return good(name, func(t *talk) {
			usual(t, event)
			t.WriteTail(hostileTokens)
		})
	}
	delta := func(fields string) func(int) string { return func(int) string { return openaitest.Delta(fields) } }
	ended := func(i int, first, rest string) string {
		if i == 0 {
			return first
		}
		return rest
	}
	return []mode{
		as("content as parts", delta(`"content":[{"type":"text","text":" w"}]`)),
		as("content as strings", delta(`"content":[" w"]`)),
		as("reasoning as a part", delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":" w"}]}]`)),
		as("reasoning_content", delta(`"reasoning_content":" w","content":null`)),
		as("reasoning", delta(`"reasoning":" w"`)),
		as("a refusal", delta(`"refusal":" w"`)),
		as("bytes that are no UTF-8", delta("\"content\":\" w\xff\xfe\"")),
		as("tool calls", func(i int) string {
			return openaitest.Delta(ended(i, `"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"x"}}]`,
				`"tool_calls":[{"index":0,"function":{"arguments":"x"}}]`))
		}),
		as("an event of a filter first", func(i int) string {
			return ended(i, "data: {\"choices\":[],\"prompt_filter_results\":[]}\n\n", "") + plain(0)
		}),
		as("deep JSON beside", delta(`"content":" w","x":`+strings.Repeat("[", 40)+strings.Repeat("]", 40))),
		{Mode: openaitest.Mode{Name: "in one piece, whatever was asked", Answer: func(t *talk) {
			time.Sleep(100 * time.Millisecond)
			t.WriteWhole("200 OK", "application/json", `{"choices":[{"index":0,"message":{"content":"`+strings.Repeat("w ", 16)+
				`"},"finish_reason":"length"}],"usage":{"prompt_tokens":7,"completion_tokens":16}}`)
		}}, generator: "error"},
		{Mode: openaitest.Mode{Name: "fewer tokens than asked for", Answer: func(t *talk) {
			t.WriteHead()
			time.Sleep(hostileWait)
			t.WriteTokens(8, hostileGap)
			t.WriteTail(8)
		}}, ttft: hostileWait, tpot: hostileGap, out: 8, says: "answers have 8 tokens on average, 16 were asked for"},
		{Mode: openaitest.Mode{Name: "more tokens than asked for", Answer: func(t *talk) {
			t.WriteHead()
			time.Sleep(hostileWait)
			t.WriteTokens(32, hostileGap)
			t.WriteTail(32)
		}}, ttft: hostileWait, tpot: hostileGap, out: 32, says: "answers have 32 tokens on average, 16 were asked for"},
	}
}

// countings are ways to count tokens.
func countings() []mode {
	counted := func(name string, usage any) mode {
		return good(name, func(t *talk) {
			usual(t, plain)
			t.WriteTail(usage)
		})
	}
	wrong := func(usage any, says string) mode {
		m := counted(fmt.Sprintf("%v tokens", usage), usage)
		m.status, m.says, m.generator = metrics.Count, says, "error"
		return m
	}
	above := func(usage int) mode {
		m := wrong(usage, "where at most 16 were asked for")
		m.generator, m.out = "ok", int64(usage)
		return m
	}
	unknown := func(name string, tail string) mode {
		m := good(name, func(t *talk) {
			usual(t, plain)
			t.WriteChunk(openaitest.Finish + tail + openaitest.Done)
			t.WriteEnd()
		})
		m.tpot, m.out = 0, -1
		return m
	}
	cached := good("more cached tokens than the prompt has", func(t *talk) {
		usual(t, plain)
		t.WriteChunk(openaitest.Finish + `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":16,` +
			`"prompt_tokens_details":{"cached_tokens":99}}}` + "\n\n" + openaitest.Done)
		t.WriteEnd()
	})
	cached.generator = "error" // rules forbid a cache
	return []mode{
		cached,
		counted("16.0 tokens", "16.0"), counted("1.6e1 tokens", "1.6e1"),
		wrong(-5, "completion_tokens are -5"), wrong(-1, "completion_tokens are -1"), wrong(0, "0 tokens"),
		wrong("16.5", "completion_tokens are 16.5"), wrong("9223372036854775807",
			"completion_tokens are 9223372036854775807"),
		wrong("1e400", "completion_tokens are 1e400"), wrong(`"16"`, `completion_tokens are "16"`),
		wrong("[16]", "completion_tokens are [16]"), wrong("true", "completion_tokens are true"),
		above(100), above(17), above(1_000_000_000),
		unknown("no count", ""), unknown("a count of null", openaitest.Usage("null")),
		unknown("no count within", "data: {\"choices\":[],\"usage\":{}}\n\n"),
		good("a count in each event", func(t *talk) {
			usual(t, func(i int) string {
				return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{%s}}],"usage":{"completion_tokens":%d}}`+"\n\n", token,
					i+1)
			})
			t.WriteTail(hostileTokens)
		}),
		good("a count beside the reason of the end", func(t *talk) {
			usual(t, plain)
			t.WriteChunk(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":{"completion_tokens":16}}` +
				"\n\n" + openaitest.Done)
			t.WriteEnd()
		}),
		bad("a prompt of -7", metrics.Count, "prompt_tokens are -7", func(t *talk) {
			usual(t, plain)
			t.WriteChunk(openaitest.Finish + `data: {"choices":[],"usage":{"prompt_tokens":-7,"completion_tokens":16}}` +
				"\n\n" +
				openaitest.Done)
			t.WriteEnd()
		}),
	}
}

// failures are answers that are none, or not whole.
func failures() []mode {
	ran := func(tokens int, m mode) mode {
		m.generator, m.generated = "ok", tokens
		return m
	}
	after := func(n int, then string) func(t *talk) {
		return func(t *talk) {
			t.WriteHead()
			t.WriteTokens(n, hostileGap)
			t.WriteChunk(then)
			t.WriteEnd()
		}
	}
	whole := func(status, kind, body string, fields ...string) func(t *talk) {
		return func(t *talk) { t.WriteWhole(status, kind, body, fields...) }
	}
	broken := func(n int, text string) func(t *talk) {
		return func(t *talk) {
			t.Last = true
			t.WriteHead()
			t.WriteTokens(n, hostileGap)
			t.WriteRaw(text)
		}
	}
	const dead = `{"error":{"message":"engine dead","code":500}}`
	const sse, js = "text/event-stream", "application/json"
	return []mode{
		bad("500", "http_500", "engine dead", whole("500 X", js, dead)),
		bad("429", "http_429", "engine dead", whole("429 X", js, dead, "Retry-After: 1")),
		bad("401", "http_401", "engine dead", whole("401 X", js, dead)),
		bad("503 without a word", "http_503", "no reason given", whole("503 X", "text/html", "")),
		bad("204", "http_204", "", func(t *talk) { t.WriteRaw("HTTP/1.1 204 No Content\r\n\r\n") }),
		bad("307", "http_307", "/elsewhere", whole("307 Moved", js, "", "Location: /elsewhere/v1")),
		bad("301", "http_301", "http://other.example/", whole("301 Moved", js, "", "Location: http://other.example/")),
		bad("101", metrics.Faulty, "101 Switching Protocols", func(t *talk) {
			t.WriteRaw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			t.WaitForClient()
		}),
		bad("200 with an error", metrics.Faulty, "engine dead", whole("200 OK", js, dead)),
		bad("200 with an object error", metrics.Faulty, "engine dead",
			whole("200 OK", js, `{"object":"error","message":"engine dead","code":40001}`)),
		bad("a stream that is an error", metrics.Faulty, "engine dead", whole("200 OK", sse, dead)),
		bad("a stream that is an error and a blank line", metrics.Faulty, "engine dead", whole("200 OK", sse, dead+"\n\n")),
		bad("a page", metrics.Faulty, "text/html", whole("200 OK", "text/html", "<html>Please log in</html>")),
		bad("encoded", metrics.Faulty, "gzip", whole("200 OK", sse, "\x1f\x8b\x08", "Content-Encoding: gzip")),
		bad("an event of an error", metrics.Faulty, "out of memory",
			after(3, "event: error\ndata: {\"message\": \"out of memory\"}\n\n")),
		bad("an error as data", metrics.Faulty, "out of memory", after(3,
			"data: {\"error\":{\"message\":\"out of memory\"}}\n\n")),
		bad("an error as text", metrics.Faulty, "out of memory", after(3, "data: {\"error\":\"out of memory\"}\n\n")),
		bad("JSON that ends early", metrics.Faulty, "is not what the API has", after(3, "data: {\"choices\":[{\n\n")),
		bad("an answer ended by an abort", metrics.Faulty, "abort",
			after(3, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"abort\"}]}\n\n")),
		bad("nothing", metrics.Cut, "", after(0, ": nothing\n\n")),
		bad("[DONE] alone", metrics.Empty, "", after(0, openaitest.Done)),
		ran(nothing, bad("a role alone", metrics.Empty, "",
			after(0, openaitest.Role+openaitest.Finish+openaitest.Usage(0)+openaitest.Done))),
		ran(5, bad("hidden tokens", metrics.Empty, "",
			after(0, openaitest.Role+openaitest.Finish+openaitest.Usage(5)+openaitest.Done))),
		bad("cut in a chunk", metrics.Cut, "", broken(8, "fff\r\ndata: {")),
		bad("cut at a token", metrics.Cut, "", broken(8, "")),
		bad("ended at a token", metrics.Cut, "", after(8, ": no more\n\n")),
		bad("cut before the head", metrics.Cut, "", func(t *talk) { t.Last = true }),
		bad("cut in the head", metrics.Cut, "", func(t *talk) {
			t.Last = true
			t.WriteRaw("HTTP/1.1 200 OK\r\nContent-Ty")
		}),
		bad("no HTTP", metrics.Faulty, "SSH-2.0", func(t *talk) {
			t.Last = true
			t.WriteRaw("SSH-2.0-x\r\n\r\n")
		}),
		bad("two lengths", metrics.Faulty, "Content-Length", whole("200 OK", sse, "data", "Content-Length: 99")),
		bad("a chunk of no size", metrics.Faulty, "want its size", broken(1, "zz\r\nxx\r\n")),
		flood("an event without end", "MiB", func(t *talk) {
			t.WriteHead()
			for range 80 {
				t.WriteChunk("data: " + strings.Repeat("x", 64<<10))
			}
		}),
		flood("comments without end", "MiB", func(t *talk) {
			t.WriteHead()
			for {
				t.WriteChunk(": " + strings.Repeat("x", 32<<10) + "\n\n")
			}
		}),
		flood("a head without end", "KiB", func(t *talk) {
			t.WriteRaw("HTTP/1.1 200 OK\r\n")
			for {
				t.WriteRaw("X-Y: " + strings.Repeat("y", 8<<10) + "\r\n")
			}
		}),
	}
}

// silences are servers that make one wait.
func silences() []mode {
	models := func(name, says string, answer func(t *talk)) mode {
		return mode{Mode: openaitest.Mode{Name: name, Models: answer, Answer: func(t *talk) { t.WaitForClient() }},
			opens: says}
	}
	waits := func(name string, answer func(t *talk)) mode { return bad(name, metrics.Unfinished, "", answer) }
	trickle := func(each time.Duration, text string) func(t *talk) {
		return func(t *talk) {
			t.WriteHead()
			for {
				t.WriteChunk(text)
				time.Sleep(each)
			}
		}
	}
	return []mode{
		waits("silent", func(t *talk) { t.WaitForClient() }),
		waits("silent behind the head", func(t *talk) {
			t.WriteHead()
			t.WaitForClient()
		}),
		waits("silent behind a token", func(t *talk) {
			t.WriteHead()
			t.WriteTokens(1, 0)
			t.WaitForClient()
		}),
		waits("a token every half a second, without end", trickle(500*time.Millisecond, plain(0))),
		waits("a comment every half a second, without end", trickle(500*time.Millisecond, ": ping\n\n")),
		waits("100 Continue every half a second, without end", func(t *talk) {
			for {
				t.WriteRaw("HTTP/1.1 100 Continue\r\n\r\n")
				time.Sleep(500 * time.Millisecond)
			}
		}),
		flood("tokens at once, without end", "was asked for 16 tokens at most", trickle(0, plain(0))),
		models("101 for the list of models", "101 Switching Protocols", func(t *talk) {
			t.WriteRaw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			t.WaitForClient()
		}),
		models("no list of models, ever", "connect_timeout", func(t *talk) { t.WaitForClient() }),
		models("a list of models that never ends", "connect_timeout", func(t *talk) {
			t.WriteRaw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				t.WriteChunk(" ")
				time.Sleep(100 * time.Millisecond)
			}
		}),
		models("an encoded list of models", "encoded", func(t *talk) {
			t.WriteWhole("200 OK", "application/json", "\x1f\x8b\x08", "Content-Encoding: gzip")
		}),
		models("a page for a list of models", "text/html", func(t *talk) { t.WriteWhole("200 OK", "text/html", "<html>") }),
		models("a list of models elsewhere", "redirects", func(t *talk) {
			t.WriteWhole("301 Moved", "text/html", "", "Location: /elsewhere/v1/models")
		}),
		models("a refused list of models", "401", func(t *talk) { t.WriteWhole("401 X", "application/json", "{}") }),
	}
}
