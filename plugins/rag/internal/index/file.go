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

// ErrDatabase means that a file is not a database, or is damaged.
var ErrDatabase = errors.New("database of passages")

// Passage is a passage of a page.
type Passage struct {
	Text   string `json:"text"`
	Source string `json:"source"`       // file of the page
	ID     int    `json:"passage_id"`   // number among the page's passages, from 0
	URL    string `json:"original_url"` // empty: unknown
}

// Database is a graph with the passages of its vectors.
type Database struct {
	*Graph
	Passages []Passage
	// Embedder is the SHA-256, in lower-case hex, of the model that made the vectors. Empty: unknown.
	Embedder string
}

// magic is the beginning of each file. The last digit is the format version.
const magic = "plumbline passages 1\n"

// fileHeader follows the magic as a line of JSON. After it, a file contains the passages, each as a line of JSON; the
// vectors as float32; for each vector, the number of levels and, for each level, the number of links and the links, as
// varints; and the SHA-256 of everything before. Numbers are little-endian.
type fileHeader struct {
	GraphParams
	Dim      int    `json:"dim"`
	Count    int    `json:"passages"`
	Entry    uint32 `json:"entry"`
	Embedder string `json:"embedder"`
}

// Write writes the database. The bytes depend only on its content.
func (d *Database) Write(w io.Writer) error {
	if len(d.Passages) != d.Len() || d.linked != d.Len() {
		return fmt.Errorf("%w: %d passages, %d vectors, %d of them linked", ErrDatabase, len(d.Passages), d.Len(), d.linked)
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	_, _ = b.WriteString(magic) // Flush returns write errors
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
			for _, w := range links {
				varint = binary.AppendUvarint(varint, uint64(w))
			}
		}
		_, _ = b.Write(varint)
	}
	if err := errors.Join(err, b.Flush()); err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// MD5 returns the MD5 of the file that Write writes, in lower-case hex. The reference's runs return this checksum.
func (d *Database) MD5() (string, error) {
	sum := md5.New()
	err := d.Write(sum)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// FileMD5 returns the MD5 of a file, in lower-case hex.
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

// Read reads a database of size bytes. Errors wrap ErrDatabase.
func Read(from io.Reader, size int64) (*Database, error) {
	r := &fileReader{checksum: sha256.New(), remaining: size}
	r.Reader = bufio.NewReaderSize(from, 1<<20)
	d, err := r.readDatabase()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	return d, nil
}

// fileReader reads a database and computes the checksum of what it has read.
type fileReader struct {
	*bufio.Reader
	checksum  hash.Hash
	remaining int64
}

// readFull fills b.
func (r *fileReader) readFull(b []byte) error {
	if _, err := io.ReadFull(r.Reader, b); err != nil {
		return errors.New("it is cut short")
	}
	r.checksum.Write(b)
	r.remaining -= int64(len(b))
	return nil
}

// ReadByte implements io.ByteReader.
func (r *fileReader) ReadByte() (byte, error) {
	var one [1]byte
	err := r.readFull(one[:])
	return one[0], err
}

// readLine reads a line of JSON into v.
func (r *fileReader) readLine(v any) error {
	text, err := r.ReadBytes('\n')
	if err != nil {
		return errors.New("it is cut short")
	}
	r.checksum.Write(text)
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
	if err := r.readChecksum(); err != nil {
		return nil, err
	}
	return d, nil
}

// readHeader reads the file's header and checks it.
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

// isSearchable reports whether a graph with the header's values can be searched.
func (h fileHeader) isSearchable() bool {
	return h.M >= 1 && h.M <= 1<<16 && h.EFConstruction >= 1 && h.EFSearch >= 1
}

// readChecksum compares the checksum and requires the end of the file after it.
func (r *fileReader) readChecksum() error {
	want := r.checksum.Sum(nil)
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
		g.squaredNorms = append(g.squaredNorms, square)
	}
	return nil
}

// maxLevels exceeds the level of any vector that a graph can contain.
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

// readLevel reads the links of vector i on one level. A vector has up to maxLinks links, and each link is less than
// count.
func (r *fileReader) readLevel(i, level, maxLinks, count int) ([]uint32, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > uint64(maxLinks) || int64(n) > r.remaining {
		return nil, fmt.Errorf("vector %d, level %d: %d links, want %d at most: %w", i, level, n, maxLinks,
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

// checkLinks requires the target of each link to exist on the link's level.
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
