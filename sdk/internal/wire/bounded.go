package wire

import (
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec that Codec replaces
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Maximum memory of a message in addition to twice its own size. A message of two bytes takes a hundred, and a frame
// may contain half a billion of them.
const (
	maxOverhead = 16 << 20
	// small is the size up to which a message is not checked. It cannot take more than maxOverhead.
	small = 512 << 10
	// messageBytes is the approximate memory of a message without its texts and lists.
	messageBytes = 128
	// elementBytes is the minimum memory of a list element: a number, or half of a text header.
	elementBytes = 8
)

var errParts = errors.New("its parts take far more memory than it has bytes, want fewer parts in a message")

// Unmarshal parses a message from an untrusted process. It returns an error if the message takes much more memory than
// it has bytes.
func Unmarshal(o proto.UnmarshalOptions, b []byte, m proto.Message) error {
	if len(b) > small {
		d, room := m.ProtoReflect().Descriptor(), maxOverhead+2*len(b)
		if err := checkMemory(b, d, &room); err != nil {
			return fmt.Errorf("a %s of %d bytes: %w", d.Name(), len(b), err)
		}
	}
	return o.Unmarshal(b, m)
}

// checkMemory subtracts the memory of a message's fields from room. It returns an error if room becomes negative.
func checkMemory(b []byte, d protoreflect.MessageDescriptor, room *int) error {
	*room -= messageBytes
	for len(b) > 0 && *room >= 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return protowire.ParseError(n)
		}
		value, field := b[:n], d.Fields().ByNumber(number)
		b = b[n:]
		switch {
		case field == nil || kind == protowire.StartGroupType: // unknown fields are kept unparsed
			*room -= n
		case kind != protowire.BytesType:
			*room -= elementBytes
		default:
			value, _ = protowire.ConsumeBytes(value)
			if err := fitsBytes(value, field, room); err != nil {
				return err
			}
		}
	}
	if *room < 0 {
		return errParts
	}
	return nil
}

// fitsBytes checks a field with a length: a message, a text, or packed numbers.
func fitsBytes(value []byte, field protoreflect.FieldDescriptor, room *int) error {
	switch field.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return checkMemory(value, field.Message(), room)
	case protoreflect.StringKind, protoreflect.BytesKind:
		*room -= 2*elementBytes + len(value)
	default:
		*room -= elementBytes * len(value)
	}
	return nil
}

// Codec returns a call option that makes gRPC parse messages with Unmarshal.
func Codec() grpc.CallOption { return grpc.ForceCodecV2(theCodec) }

var theCodec = boundedCodec{encoding.GetCodecV2("proto")}

// boundedCodec is gRPC's usual codec with another Unmarshal.
type boundedCodec struct{ encoding.CodecV2 }

// Name returns "", so requests have the same label as without this codec.
func (boundedCodec) Name() string { return "" }

func (c boundedCodec) Unmarshal(data mem.BufferSlice, v any) error {
	if data.Len() <= small {
		return c.CodecV2.Unmarshal(data, v)
	}
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is no message of protobuf", v)
	}
	b := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer b.Free()
	return Unmarshal(proto.UnmarshalOptions{}, b.ReadOnlyData(), m)
}
