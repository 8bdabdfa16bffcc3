package sentencepiece

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decode returns the text of IDs. Each byte that is not UTF-8 becomes U+FFFD. If IDs are outside the vocabulary, the
// error wraps ErrID and lists all of them.
func (m *Model) Decode(ids []int32) (string, error) {
	if err := checkIDs(ids, func(id int32) bool { return id >= 0 && int(id) < m.Size() }, m.Size()); err != nil {
		return "", err
	}
	pieces := make([]string, len(ids))
	for i, id := range ids {
		pieces[i] = m.Piece(id)
	}
	return m.joinPieces(pieces, m.file.dummyPrefix), nil
}

// joinPieces returns the text of pieces, which may have been changed. Texts that are not pieces are appended unchanged.
func (m *Model) joinPieces(pieces []string, dummyPrefix bool) string {
	j := pieceJoiner{model: m, atStart: true}
	strips := dummyPrefix || m.file.removeSpaces
	for _, text := range pieces {
		id := m.ID(text)
		p := m.file.pieces[id]
		if p.kind == byteKind {
			b, _ := parseBytePiece(p.text)
			j.pendingBytes = append(j.pendingBytes, b)
			continue
		}
		j.flushBytes()
		j.addPiece(text, p, strips)
	}
	j.flushBytes()
	return j.text.String()
}

// pieceJoiner collects text.
type pieceJoiner struct {
	model        *Model
	text         strings.Builder
	pendingBytes []byte // bytes of byte pieces that are not yet in text
	atStart      bool   // a blank at the start of the next piece is not part of the text
	stripped     bool   // such a blank was removed
}

// flushBytes appends the collected bytes.
func (j *pieceJoiner) flushBytes() {
	for b := j.pendingBytes; len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		j.text.WriteRune(r)
		b = b[size:]
	}
	j.pendingBytes = j.pendingBytes[:0]
}

func (j *pieceJoiner) addPiece(text string, p vocabPiece, strips bool) {
	if j.stripped || j.text.Len() > 0 {
		j.atStart = false
	}
	j.stripped = false
	switch {
	case p.kind == controlKind:
		return
	case p.kind == unknownKind && text == p.text:
		j.text.WriteString(j.model.file.unknownSurface)
		return
	case p.kind == unknownKind:
		j.text.WriteString(text)
		return
	}
	if j.atStart && strips && strings.HasPrefix(text, blank) {
		text = text[len(blank):]
		j.stripped = !j.model.file.removeSpaces
	}
	j.text.WriteString(strings.ReplaceAll(text, blank, " "))
}

// checkIDs returns an error that lists the IDs outside the vocabulary.
func checkIDs(ids []int32, has func(int32) bool, size int) error {
	var wrong []string
	count := 0
	for i, id := range ids {
		if has(id) {
			continue
		}
		if count++; count <= maxShownFaults {
			wrong = append(wrong, fmt.Sprintf("%d at place %d", id, i))
		}
	}
	if count == 0 {
		return nil
	}
	return fmt.Errorf(
		"%w: %d of %d ids: %s; the vocabulary has %d; is this the model's tokenizer, and the dtype of the ids?",
		ErrID, count, len(ids), strings.Join(wrong, ", "), size)
}
