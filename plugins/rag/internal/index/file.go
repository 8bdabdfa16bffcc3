package index

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ErrDatabase is a file that is no database, or a broken one.
var ErrDatabase = errors.New("database of passages")

// Passage is a passage of a page.
type Passage struct {
	Text   string `json:"text"`
	Source string `json:"source"`       // the page's file
	ID     int    `json:"passage_id"`   // of the page's passages, from 0
	URL    string `json:"original_url"` // empty: not known
}

// Database is a graph with the passages of its vectors.
type Database struct {
	*Graph
	Passages []Passage
	// Embedder is the SHA-256 of the model that made the vectors, in lower-case hex; empty: not known.
	Embedder string
}

// magic begins each file; its last byte but one is the version of the form.
const magic = "plumbline passages 1\n"

// fileHeader follows the magic, as a line of JSON. Behind it lie the passages, a line of JSON each; the vectors, as
// float32; of each vector the number of levels, and of each level the number of links and the links, as varints; the
// SHA-256 of all before. Numbers are little-endian.
type fileHeader struct {
	GraphParams
	Dim      int    `json:"dim"`
	Count    int    `json:"passages"`
	Entry    uint32 `json:"entry"`
	Embedder string `json:"embedder"`
}

// Write writes the database; its bytes depend on its contents alone.
func (d *Database) Write(to io.Writer) error {
	if len(d.Passages) != d.Len() || d.linked != d.Len() {
		return fmt.Errorf("%w: %d passages, %d vectors, %d of them linked", ErrDatabase, len(d.Passages), d.Len(), d.linked)
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(to, sum), 1<<20)
	_, _ = b.WriteString(magic) // Flush reports what fails
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(fileHeader{d.GraphParams, d.dim, d.Len(), d.entry, d.Embedder})
	for i := range d.Passages {
		err = errors.Join(err, e.Encode(&d.Passages[i]))
	}
	var four [4]byte
	for _, v := range d.vectors {
		binary.LittleEndian.PutUint32(four[:], math.Float32bits(v))
		_, _ = b.Write(four[:])
	}
	var varint []byte
	for _, levels := range d.links {
		varint = binary.AppendUvarint(varint[:0], uint64(len(levels)))
		for _, links := range levels {
			varint = binary.AppendUvarint(varint, uint64(len(links)))
			for _, to := range links {
				varint = binary.AppendUvarint(varint, uint64(to))
			}
		}
		_, _ = b.Write(varint)
	}
	if err := errors.Join(err, b.Flush()); err != nil {
		return err
	}
	_, err = to.Write(sum.Sum(nil))
	return err
}

// MD5 is that of the file which Write writes, in lower-case hex: what the reference's runs return.
func (d *Database) MD5() (string, error) {
	sum := md5.New()
	err := d.Write(sum)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// FileMD5 is that of a file.
func FileMD5(path string) (string, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := md5.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// Open reads a database from a file.
func Open(path string) (*Database, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	defer f.Close()
	var size int64
	var info os.FileInfo
	if info, err = f.Stat(); err == nil {
		size = info.Size()
	}
	d, err := Read(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// Read reads a database of so many bytes. The error is ErrDatabase.
func Read(from io.Reader, size int64) (*Database, error) {
	r := &fileReader{sum: sha256.New(), remaining: size}
	r.Reader = bufio.NewReaderSize(from, 1<<20)
	d, err := r.readDatabase()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	return d, nil
}

// fileReader reads a database and sums what it reads.
type fileReader struct {
	*bufio.Reader
	sum       hash.Hash
	remaining int64
}

// readFull reads all of b.
func (r *fileReader) readFull(b []byte) error {
	if _, err := io.ReadFull(r.Reader, b); err != nil {
		return errors.New("it is cut short")
	}
	r.sum.Write(b)
	r.remaining -= int64(len(b))
	return nil
}

// ReadByte makes it an io.ByteReader that sums.
func (r *fileReader) ReadByte() (byte, error) {
	var one [1]byte
	err := r.readFull(one[:])
	return one[0], err
}

// readLine reads a line of JSON.
func (r *fileReader) readLine(v any) error {
	text, err := r.ReadBytes('\n')
	if err != nil {
		return errors.New("it is cut short")
	}
	r.sum.Write(text)
	r.remaining -= int64(len(text))
	return json.Unmarshal(text, v)
}

func (r *fileReader) readDatabase() (*Database, error) {
	begin := make([]byte, len(magic))
	if err := r.readFull(begin); err != nil || !bytes.Equal(begin, []byte(magic)) {
		return nil, fmt.Errorf("it does not begin with %q: want a file that e2e-rag-db wrote (--param database=FILE); "+
			"FAISS's are not read", magic)
	}
	h, err := r.readHeader()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	d := &Database{Graph: New(h.Dim, h.GraphParams), Passages: make([]Passage, h.Count), Embedder: h.Embedder}
	for i := range d.Passages {
		if err := r.readLine(&d.Passages[i]); err != nil {
			return nil, fmt.Errorf("passage %d: %w", i, err)
		}
	}
	if err := r.readVectors(d.Graph, h.Count); err != nil {
		return nil, err
	}
	if err := r.readLinks(d.Graph, h); err != nil {
		return nil, err
	}
	if err := r.readEnd(); err != nil {
		return nil, err
	}
	return d, nil
}

// readHeader reads the header of the file, and checks it.
func (r *fileReader) readHeader() (h fileHeader, err error) {
	if err := r.readLine(&h); err != nil {
		return h, err
	}
	least := int64(4*h.Dim+3) * int64(h.Count)
	if h.Dim < 1 || h.Dim > 1<<16 || h.Count < 0 || h.Count > 1<<31 || least > r.remaining || !h.isSearchable() {
		return h, fmt.Errorf("%+v, of a file with %d bytes behind it", h, r.remaining)
	}
	return h, nil
}

// isSearchable reports whether a graph can be searched by the header's numbers.
func (h fileHeader) isSearchable() bool {
	return h.M >= 1 && h.M <= 1<<16 && h.EFConstruction >= 1 && h.EFSearch >= 1
}

// readEnd reads the checksum of all before it, and requires that the file ends there.
func (r *fileReader) readEnd() error {
	want := r.sum.Sum(nil)
	got := make([]byte, sha256.Size)
	if err := r.readFull(got); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("its SHA-256 is not that of its end: it was changed")
	}
	if _, err := r.Reader.ReadByte(); err != io.EOF {
		return errors.New("more bytes behind its end")
	}
	return nil
}

func (r *fileReader) readVectors(g *Graph, n int) error {
	if need := 4 * int64(g.dim) * int64(n); need > r.remaining {
		return errors.New("it is cut short")
	}
	g.vectors = make([]float32, n*g.dim)
	b := make([]byte, 4*g.dim)
	for i := range n {
		if err := r.readFull(b); err != nil {
			return err
		}
		v := g.Vector(i)
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
		}
		square := Dot(v, v)
		if math.IsNaN(float64(square)) || math.IsInf(float64(square), 0) {
			return fmt.Errorf("vector %d: %w", i, ErrVector)
		}
		g.squares = append(g.squares, square)
	}
	return nil
}

// maxLevels is above the level of any vector that a graph can hold.
const maxLevels = 64

func (r *fileReader) readLinks(g *Graph, h fileHeader) error {
	for i := range h.Count {
		levels, err := binary.ReadUvarint(r)
		if err != nil || levels < 1 || levels > maxLevels {
			return fmt.Errorf("vector %d: %d levels, %w", i, levels, errors.Join(err, errors.New("want 1 to 64")))
		}
		own := make([][]uint32, levels)
		for l := range own {
			if own[l], err = r.readLevel(i, l, g.maxLinks(l), h.Count); err != nil {
				return err
			}
		}
		g.links = append(g.links, own)
	}
	if err := g.checkLinks(); err != nil {
		return err
	}
	if h.Count > 0 && int64(h.Entry) >= int64(h.Count) {
		return fmt.Errorf("entry %d of %d", h.Entry, h.Count)
	}
	g.entry, g.linked = h.Entry, h.Count
	return nil
}

// readLevel reads the links of vector i on one level, to some of count vectors.
func (r *fileReader) readLevel(i, level, room, count int) ([]uint32, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(room) || int64(n) > r.remaining {
		return nil, fmt.Errorf("vector %d, level %d: %d links, want %d at most: %w", i, level, n, room,
			errors.Join(err, errors.New("broken")))
	}
	links := make([]uint32, n)
	for k := range links {
		to, err := binary.ReadUvarint(r)
		if err != nil || to >= uint64(count) {
			return nil, fmt.Errorf("vector %d: a link to %d of %d: %w", i, to, count, errors.Join(err, errors.New("broken")))
		}
		links[k] = uint32(to)
	}
	return links, nil
}

// checkLinks wants a vector that is linked to on a level to be on it.
func (g *Graph) checkLinks() error {
	for i, levels := range g.links {
		for l, links := range levels {
			for _, to := range links {
				if len(g.links[to]) <= l {
					return fmt.Errorf("vector %d, level %d: a link to %d, which is not there", i, l, to)
				}
			}
		}
	}
	return nil
}
