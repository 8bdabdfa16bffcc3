package remote

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
	"unsafe"
)

// errNoKey means that the server does not have the key.
var errNoKey = errors.New("there is no such key")

// Buffer sizes, chosen so that a system call transfers many rows or requests.
const (
	readBufferBytes  = 256 << 10
	writeBufferBytes = 64 << 10
)

// redisConn implements the part of Redis's protocol (RESP 2) that this package needs. Commands are lists of strings;
// replies are words, numbers, strings or errors. The server is not trusted: a reply never uses more memory than the
// caller provides, and an unexpected reply ends the connection.
type redisConn struct {
	conn   net.Conn
	reader *bufio.Reader
	writer *bufio.Writer
}

func newConn(c net.Conn) *redisConn {
	return &redisConn{c, bufio.NewReaderSize(c, readBufferBytes), bufio.NewWriterSize(c, writeBufferBytes)}
}

// sendCommand writes a command to the buffer. flush sends it, and returns earlier write errors.
func (c *redisConn) sendCommand(words ...string) {
	_ = c.conn.SetWriteDeadline(time.Now().Add(answerTimeout)) // writing to a closed connection returns the error
	c.writeLength('*', len(words))
	for _, word := range words {
		c.writeLength('$', len(word))
		_, _ = c.writer.WriteString(word)
		_, _ = c.writer.WriteString("\r\n")
	}
}

// setKey stores a value under a key.
func (c *redisConn) setKey(key string, value []byte) error {
	// runCommand only reads the string
	_, err := c.runCommand("SET", key, unsafe.String(unsafe.SliceData(value), len(value)))
	return err
}

func (c *redisConn) writeLength(kind byte, n int) {
	b := append(c.writer.AvailableBuffer(), kind)
	b = strconv.AppendInt(b, int64(n), 10)
	_, _ = c.writer.Write(append(b, "\r\n"...))
}

func (c *redisConn) flush() error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(answerTimeout))
	return c.writer.Flush()
}

// runCommand sends a command and reads a short reply.
func (c *redisConn) runCommand(words ...string) (string, error) {
	c.sendCommand(words...)
	if err := c.flush(); err != nil {
		return "", err
	}
	var short [256]byte
	n, err := c.readReply(short[:])
	return string(short[:n]), err
}

// readReply reads a reply into dst and returns its length. A reply longer than dst is an error, and so is an error
// reply. errNoKey means that the key does not exist.
func (c *redisConn) readReply(dst []byte) (int, error) {
	if c.reader.Buffered() == 0 {
		_ = c.conn.SetReadDeadline(time.Now().Add(answerTimeout))
	}
	kind, text, err := c.readLine()
	if err != nil {
		return 0, err
	}
	switch kind {
	case '+', ':':
		if len(text) > len(dst) {
			return 0, fmt.Errorf("it answers %s, want at most %d bytes", quoteReply(text), len(dst))
		}
		return copy(dst, text), nil
	case '-':
		return 0, fmt.Errorf("it says %s", quoteReply(text))
	case '$':
		return c.readBulk(text, dst)
	}
	return 0, fmt.Errorf("it answers %s, which is no reply to what it was asked", quoteReply([]byte{kind}))
}

// readBulk reads a bulk string. text contains its length.
func (c *redisConn) readBulk(text, dst []byte) (int, error) {
	n, err := strconv.Atoi(string(text))
	switch {
	case err == nil && n == -1:
		return 0, errNoKey
	case err != nil || n < 0:
		return 0, fmt.Errorf("it answers with a string of length %s", quoteReply(text))
	case n > len(dst):
		return 0, fmt.Errorf("it answers with %d bytes, want at most %d", n, len(dst))
	}
	if _, err := io.ReadFull(c.reader, dst[:n]); err != nil {
		return 0, err
	}
	var end [2]byte
	if _, err := io.ReadFull(c.reader, end[:]); err != nil {
		return 0, err
	}
	if string(end[:]) != "\r\n" {
		return 0, fmt.Errorf("%s follows a string of %d bytes, want a line's end", quoteReply(end[:]), n)
	}
	return n, nil
}

// readLine reads the first line of a reply. It returns the type of the reply and the rest of the line, which is valid
// until the next read.
func (c *redisConn) readLine() (kind byte, text []byte, err error) {
	all, err := c.reader.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return 0, nil, fmt.Errorf("it answers with a line of more than %d bytes", readBufferBytes)
	case errors.Is(err, io.EOF):
		return 0, nil, fmt.Errorf("it closed the connection: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return 0, nil, err
	case len(all) < 3 || all[len(all)-2] != '\r':
		return 0, nil, fmt.Errorf("it answers %s, which is no line of Redis's protocol", quoteReply(all))
	}
	return all[0], all[1 : len(all)-2], nil
}

// quoteReply returns the beginning of a reply, quoted.
func quoteReply(text []byte) string {
	const most = 200
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "..."
	}
	return strconv.Quote(string(text))
}
