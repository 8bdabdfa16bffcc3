package sentencepiece

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrFile means that a tokenizer.model is damaged or of an unknown kind.
var ErrFile = errors.New("sentencepiece model")

// vocabKind is the kind of a piece, by SentencePiece's numbers.
type vocabKind int

const (
	normalKind vocabKind = iota + 1
	unknownKind
	controlKind
	userDefinedKind
	unusedKind
	byteKind
)

// vocabPiece is a token of the vocabulary.
type vocabPiece struct {
	text  string
	score float32
	kind  vocabKind
}

// modelFile contains the fields of SentencePiece's ModelProto that this package uses.
type modelFile struct {
	pieces                    []vocabPiece
	modelType                 uint64
	byteFallback              bool
	suffixSpace               bool // treat_whitespace_as_suffix
	unknownSurface            string
	charsMap, denormalizerMap []byte // precompiled_charsmap of the normalizer and of the denormalizer
	dummyPrefix               bool
	removeSpaces              bool // remove_extra_whitespaces
	escapeSpaces              bool
}

// Field numbers of sentencepiece_model.proto.
const (
	modelPieces, modelTrainer, modelNormalizer, modelDenormalizer = 1, 2, 3, 5

	pieceText, pieceScore, pieceKind = 1, 2, 3

	trainerType, trainerSuffixSpace, trainerByteFallback, trainerUnknownSurface = 3, 24, 35, 44

	normalizerCharsMap, normalizerDummyPrefix, normalizerRemoveSpaces, normalizerEscapeSpaces = 2, 3, 4, 5
)

// readFile decodes a model. Absent fields get the format's defaults.
func readFile(data []byte) (*modelFile, error) {
	f := &modelFile{modelType: 1, unknownSurface: " \u2047 ", dummyPrefix: true, removeSpaces: true, escapeSpaces: true}
	err := eachField(data, func(v protoField) error {
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
			return eachField(v.bytes, func(v protoField) error {
				if v.number == normalizerCharsMap {
					f.denormalizerMap = v.bytes
				}
				return nil
			})
		}
		return nil
	})
	return f, err
}

func readPiece(data []byte) (vocabPiece, error) {
	p := vocabPiece{kind: normalKind}
	err := eachField(data, func(v protoField) error {
		switch v.number {
		case pieceText:
			p.text = string(v.bytes)
		case pieceScore:
			p.score = math.Float32frombits(uint32(v.value))
		case pieceKind:
			p.kind = vocabKind(v.value)
		}
		return nil
	})
	return p, err
}

func (f *modelFile) readTrainer(v protoField) error {
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

func (f *modelFile) readNormalizer(v protoField) error {
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

// protoField is a field of a protobuf message. Strings and messages have bytes; numbers have a value.
type protoField struct {
	number protowire.Number
	value  uint64
	bytes  []byte
}

// eachField calls visit with each field of a message.
func eachField(data []byte, visit func(protoField) error) error {
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("a damaged field number (%w): is the file complete?", protowire.ParseError(n))
		}
		v := protoField{number: number}
		data = data[n:]
		n, err := v.readValue(data, kind)
		if err == nil {
			err = visit(v)
		}
		if err != nil {
			return fmt.Errorf("field %d: %w", number, err)
		}
		data = data[n:]
	}
	return nil
}

// readValue decodes the value at the start of data and returns its length.
func (v *protoField) readValue(data []byte, kind protowire.Type) (n int, err error) {
	switch kind {
	case protowire.VarintType:
		v.value, n = protowire.ConsumeVarint(data)
	case protowire.BytesType:
		v.bytes, n = protowire.ConsumeBytes(data)
	case protowire.Fixed32Type:
		var value uint32
		value, n = protowire.ConsumeFixed32(data)
		v.value = uint64(value)
	case protowire.Fixed64Type:
		v.value, n = protowire.ConsumeFixed64(data)
	default:
		return 0, fmt.Errorf("wire type %d: is this a tokenizer.model?", kind)
	}
	if n < 0 {
		return 0, fmt.Errorf("a damaged value (%w): is the file complete?", protowire.ParseError(n))
	}
	return n, nil
}
