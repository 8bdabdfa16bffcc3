package sentencepiece

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrFile is a tokenizer.model that is damaged or of an unknown kind.
var ErrFile = errors.New("sentencepiece model")

// kind is what a piece is, by SentencePiece's numbers.
type kind int

const (
	normal kind = iota + 1
	unknown
	control
	userDefined
	unused
	byteKind
)

// piece is a token of the vocabulary.
type piece struct {
	text  string
	score float32
	kind  kind
}

// file is what this package needs of SentencePiece's ModelProto.
type file struct {
	pieces            []piece
	modelType         uint64
	byteFallback      bool
	suffixSpace       bool // treat_whitespace_as_suffix
	unknownSurface    string
	charsMap, charsDe []byte // precompiled_charsmap of the normalizer, and of the denormalizer
	dummyPrefix       bool
	removeSpaces      bool // remove_extra_whitespaces
	escapeSpaces      bool
}

// Field numbers of sentencepiece_model.proto.
const (
	modelPieces, modelTrainer, modelNormalizer, modelDenormalizer = 1, 2, 3, 5

	pieceText, pieceScore, pieceKind = 1, 2, 3

	trainerType, trainerSuffixSpace, trainerByteFallback, trainerUnknownSurface = 3, 24, 35, 44

	normalizerCharsMap, normalizerDummyPrefix, normalizerRemoveSpaces, normalizerEscapeSpaces = 2, 3, 4, 5
)

// readFile decodes a model, with the defaults that the format has for what is absent.
func readFile(data []byte) (*file, error) {
	f := &file{modelType: 1, unknownSurface: " \u2047 ", dummyPrefix: true, removeSpaces: true, escapeSpaces: true}
	err := eachField(data, func(v field) error {
		switch v.number {
		case modelPieces:
			p, err := readPiece(v.bytes)
			f.pieces = append(f.pieces, p)
			return err
		case modelTrainer:
			return eachField(v.bytes, f.readTrainer)
		case modelNormalizer:
			return eachField(v.bytes, f.readNormalizer)
		case modelDenormalizer:
			return eachField(v.bytes, func(v field) error {
				if v.number == normalizerCharsMap {
					f.charsDe = v.bytes
				}
				return nil
			})
		}
		return nil
	})
	return f, err
}

func readPiece(data []byte) (piece, error) {
	p := piece{kind: normal}
	err := eachField(data, func(v field) error {
		switch v.number {
		case pieceText:
			p.text = string(v.bytes)
		case pieceScore:
			p.score = math.Float32frombits(uint32(v.value))
		case pieceKind:
			p.kind = kind(v.value)
		}
		return nil
	})
	return p, err
}

func (f *file) readTrainer(v field) error {
	switch v.number {
	case trainerType:
		f.modelType = v.value
	case trainerSuffixSpace:
		f.suffixSpace = v.value != 0
	case trainerByteFallback:
		f.byteFallback = v.value != 0
	case trainerUnknownSurface:
		f.unknownSurface = string(v.bytes)
	}
	return nil
}

func (f *file) readNormalizer(v field) error {
	switch v.number {
	case normalizerCharsMap:
		f.charsMap = v.bytes
	case normalizerDummyPrefix:
		f.dummyPrefix = v.value != 0
	case normalizerRemoveSpaces:
		f.removeSpaces = v.value != 0
	case normalizerEscapeSpaces:
		f.escapeSpaces = v.value != 0
	}
	return nil
}

// field is one field of a protobuf message. Strings and messages have bytes, numbers a value.
type field struct {
	number uint64
	value  uint64
	bytes  []byte
}

// eachField calls f with each field of a message.
func eachField(data []byte, f func(field) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return errors.New("a damaged field number: is the file complete?")
		}
		v := field{number: tag >> 3}
		n, err := v.read(data[n:], tag&7, n)
		if err != nil {
			return fmt.Errorf("field %d: %w", v.number, err)
		}
		if err := f(v); err != nil {
			return fmt.Errorf("field %d: %w", v.number, err)
		}
		data = data[n:]
	}
	return nil
}

// read decodes the field's value and returns the length of all that was read, done before it.
func (v *field) read(data []byte, wireType uint64, done int) (int, error) {
	const varint, fixed64, bytes, fixed32 = 0, 1, 2, 5
	switch wireType {
	case varint:
		value, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, errors.New("a damaged number: is the file complete?")
		}
		v.value = value
		return done + n, nil
	case bytes:
		length, n := binary.Uvarint(data)
		if n <= 0 || length > uint64(len(data)-n) {
			return 0, fmt.Errorf("%d bytes are announced, %d are left: is the file complete?", length, len(data))
		}
		v.bytes = data[n : n+int(length)]
		return done + n + int(length), nil
	case fixed32:
		if len(data) >= 4 {
			v.value = uint64(binary.LittleEndian.Uint32(data))
			return done + 4, nil
		}
	case fixed64:
		if len(data) >= 8 {
			v.value = binary.LittleEndian.Uint64(data)
			return done + 8, nil
		}
	default:
		return 0, fmt.Errorf("wire type %d: is this a tokenizer.model?", wireType)
	}
	return 0, errors.New("a number that is cut: is the file complete?")
}
