package mllog

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	accuracyChunk = 256 << 10 // size of a chunk of raw entries, in bytes
	accuracyQueue = 64 << 20  // raw bytes that may wait for the disk before Write waits too
	accuracyFree  = 16        // maximum number of chunks kept for reuse
	entryHeader   = 5 * 8     // seq_id, qsl_idx, token count, len(data), len(token)+1
	writeBuffer   = 256 << 10

	// accuracyDelay is the maximum time that an entry waits for its chunk to fill. A process that is killed can lose the
	// entries of this time.
	accuracyDelay = time.Second
)

// AccuracyWriter writes an accuracy log: `[`, entries joined by commas, `\n]\n`.
//
// Write only copies the payload. A goroutine of the writer encodes and writes the entries in the order of the calls. If
// this goroutine falls 64 MiB behind, Write waits, so memory stays bounded. Otherwise every entry reaches w within a
// second of its Write. Any goroutine may call Write. The methods of a nil writer do nothing.
type AccuracyWriter struct {
	limit int // maximum number of queued bytes

	mu            sync.Mutex
	notEmpty      sync.Cond
	notFull       sync.Cond
	current       []byte   // raw entries of the incomplete chunk
	queue         [][]byte // full chunks
	free          [][]byte // chunks for reuse
	queued        int      // number of bytes in queue and in the encoder
	entries       uint64
	handoverTimer *time.Timer // hands over the incomplete chunk
	timerSet      bool        // the timer late is set
	closed        bool
	err           error

	done chan struct{}
}

// ErrClosed is returned by Write after Close.
var ErrClosed = errors.New("accuracy log is closed")

// NewAccuracyWriter starts a writer to w. The caller must call Close, which does not close w.
func NewAccuracyWriter(w io.Writer) *AccuracyWriter { return newAccuracyWriter(w, accuracyQueue) }

// newAccuracyWriter starts a writer whose Write waits while limit bytes are queued.
func newAccuracyWriter(w io.Writer, limit int) *AccuracyWriter {
	a := &AccuracyWriter{limit: limit, done: make(chan struct{})}
	a.notEmpty.L, a.notFull.L = &a.mu, &a.mu
	go a.encodeChunks(w)
	return a
}

// scheduleHandover sets a timer that hands over the current chunk in time. The caller must hold the lock.
func (a *AccuracyWriter) scheduleHandover() {
	switch {
	case a.timerSet:
		return
	case a.handoverTimer == nil:
		a.handoverTimer = time.AfterFunc(accuracyDelay, a.handOver)
	default:
		a.handoverTimer.Reset(accuracyDelay)
	}
	a.timerSet = true
}

// handOver hands the incomplete chunk to the encoder.
func (a *AccuracyWriter) handOver() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timerSet = false
	if len(a.current) > 0 && !a.closed {
		a.enqueueChunk()
	}
}

// Write adds the response data of the sample seqID, whose index in the data set is qslIndex. It copies data.
func (a *AccuracyWriter) Write(seqID, qslIndex uint64, data []byte) error {
	return a.WriteEntry(AccuracyEntry{SeqID: seqID, QSLIndex: qslIndex, Data: data, TokenCount: -1})
}

// WriteEntry adds an entry and copies its bytes. It writes token_data if e.TokenData is not nil, and token_count if
// e.TokenCount is not negative.
func (a *AccuracyWriter) WriteEntry(e AccuracyEntry) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.queued >= a.limit && a.err == nil && !a.closed {
		a.notFull.Wait()
	}
	if a.closed {
		return ErrClosed
	}
	if a.err != nil {
		return a.err
	}
	a.entries++
	a.current = appendRaw(a.current, e)
	a.scheduleHandover()
	if len(a.current) >= accuracyChunk {
		a.enqueueChunk()
	}
	return nil
}

// Entries returns the number of entries passed to the writer.
func (a *AccuracyWriter) Entries() uint64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.entries
}

// Close writes the queued entries and the end of the log, and returns the first write error.
func (a *AccuracyWriter) Close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	if !a.closed {
		a.closed = true
		if a.handoverTimer != nil {
			a.handoverTimer.Stop()
		}
		a.enqueueChunk()
		a.notFull.Broadcast()
	}
	a.mu.Unlock()
	<-a.done
	return a.err
}

// enqueueChunk hands the current chunk to the encoder. The caller must hold the lock.
func (a *AccuracyWriter) enqueueChunk() {
	a.queue = append(a.queue, a.current)
	a.queued += len(a.current)
	a.current = nil
	if n := len(a.free); n > 0 {
		a.current, a.free = a.free[n-1][:0], a.free[:n-1]
	} else if !a.closed {
		a.current = make([]byte, 0, accuracyChunk+accuracyChunk/8)
	}
	a.notEmpty.Signal()
}

func (a *AccuracyWriter) encodeChunks(w io.Writer) {
	defer close(a.done)
	enc := accuracyEncoder{w: w}
	enc.out = append(make([]byte, 0, writeBuffer+writeBuffer/8), '[')
	for {
		chunk, last := a.nextChunk()
		err := enc.encodeEntries(chunk)
		if last && err == nil {
			err = enc.finishLog()
		}
		a.releaseChunk(chunk, err)
		if last {
			return
		}
	}
}

// nextChunk waits for a chunk. last reports that it is the last one.
func (a *AccuracyWriter) nextChunk() (chunk []byte, last bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) == 0 {
		a.notEmpty.Wait()
	}
	chunk = a.queue[0]
	a.queue = a.queue[1:]
	return chunk, a.closed && len(a.queue) == 0
}

func (a *AccuracyWriter) releaseChunk(chunk []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queued -= len(chunk)
	if len(a.free) < accuracyFree {
		a.free = append(a.free, chunk)
	}
	if err != nil && a.err == nil {
		a.err = err
	}
	a.notFull.Broadcast()
}

func appendRaw(dst []byte, e AccuracyEntry) []byte {
	token := uint64(0)
	if e.TokenData != nil {
		token = uint64(len(e.TokenData)) + 1
	}
	dst = binary.LittleEndian.AppendUint64(dst, e.SeqID)
	dst = binary.LittleEndian.AppendUint64(dst, e.QSLIndex)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.TokenCount))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(e.Data)))
	dst = binary.LittleEndian.AppendUint64(dst, token)
	dst = append(dst, e.Data...)
	return append(dst, e.TokenData...)
}

// accuracyEncoder converts raw entries to the log's text.
type accuracyEncoder struct {
	w          io.Writer
	out        []byte
	needsComma bool // an entry was written, so the next one needs a comma
	err        error
}

func (c *accuracyEncoder) encodeEntries(raw []byte) error {
	for len(raw) > 0 && c.err == nil {
		raw = c.encodeEntry(raw)
		if len(c.out) >= writeBuffer {
			c.flushBuffer()
		}
	}
	c.flushBuffer()
	return c.err
}

// encodeEntry encodes the first raw entry and returns the bytes after it.
func (c *accuracyEncoder) encodeEntry(raw []byte) []byte {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(raw[8*i:]) }
	seq, index, count, size, token := word(0), word(1), int64(word(2)), word(3), word(4)
	data := raw[entryHeader : entryHeader+size]
	raw = raw[entryHeader+size:]
	if c.needsComma {
		c.out = append(c.out, ',')
	}
	c.needsComma = true
	c.out = append(c.out, "\n{ \"seq_id\" : "...)
	c.out = strconv.AppendUint(c.out, seq, 10)
	c.out = append(c.out, `, "qsl_idx" : `...)
	c.out = strconv.AppendUint(c.out, index, 10)
	c.out = append(c.out, `, "data" : "`...)
	c.appendHex(data)
	c.out = append(c.out, '"')
	if token > 0 {
		c.out = append(c.out, `, "token_data" : "`...)
		c.appendHex(raw[:token-1])
		c.out = append(c.out, '"')
		raw = raw[token-1:]
	}
	if count >= 0 {
		c.out = append(c.out, `, "token_count" : `...)
		c.out = strconv.AppendInt(c.out, count, 10)
	}
	c.out = append(c.out, " }"...)
	return raw
}

// appendHex appends data in upper-case hexadecimal digits. It works in pieces, because a large payload would need a
// large buffer.
func (c *accuracyEncoder) appendHex(data []byte) {
	for len(data) > writeBuffer/2 {
		c.out = appendHex(c.out, data[:writeBuffer/2])
		data = data[writeBuffer/2:]
		c.flushBuffer()
	}
	c.out = appendHex(c.out, data)
}

func (c *accuracyEncoder) finishLog() error {
	c.out = append(c.out, "\n]\n"...)
	c.flushBuffer()
	return c.err
}

func (c *accuracyEncoder) flushBuffer() {
	if c.err == nil && len(c.out) > 0 {
		_, c.err = c.w.Write(c.out)
	}
	c.out = c.out[:0]
}

func appendHex(dst, data []byte) []byte {
	n := len(dst)
	dst = slices.Grow(dst, 2*len(data))[:n+2*len(data)]
	out := dst[n:]
	for len(data) >= 4 {
		binary.LittleEndian.PutUint64(out, hexDigits(binary.LittleEndian.Uint32(data)))
		out, data = out[8:], data[4:]
	}
	for i, b := range data {
		binary.LittleEndian.PutUint16(out[2*i:], uint16(hexDigits(uint32(b))))
	}
	return dst
}

// hexDigits converts four bytes to eight digits at once. The first digit of each byte is at the lower address.
func hexDigits(four uint32) uint64 {
	const ones = 0x0101010101010101
	x := uint64(four)
	x = (x | x<<16) & 0x0000FFFF0000FFFF
	x = (x | x<<8) & 0x00FF00FF00FF00FF // one byte in each 16 bits
	nibbles := x>>4&0x000F000F000F000F | x<<8&0x0F000F000F000F00
	letters := (nibbles + 6*ones) >> 4 & ones // 1 if the digit is A to F
	return nibbles + '0'*ones + letters*('A'-'9'-1)
}
