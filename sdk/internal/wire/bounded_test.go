package wire

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// TestMessagesThatTakeMoreThanTheyHave checks that a megabyte that would take dozens of megabytes is refused before it
// is parsed, and that a message whose memory matches its size is accepted.
func TestMessagesThatTakeMoreThanTheyHave(t *testing.T) {
	const million = 1 << 20
	pending := func(n int) proto.Message {
		work := &pluginpb.Work{Pending: slices.Repeat([]*pluginpb.Pending{{}}, n)}
		return &pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{Work: work}}
	}
	names := func(n, length int) proto.Message {
		return &pluginpb.NodeNamesResponse{Names: slices.Repeat([]string{strings.Repeat("x", length)}, n)}
	}
	unknown := &pluginpb.RunResponse{}
	unknown.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 1000, protowire.BytesType),
		make([]byte, million)))
	for name, c := range map[string]struct {
		message proto.Message
		refused bool
	}{
		"answers":             {&pluginpb.RunResponse{Complete: &pluginpb.Answers{Payloads: make([]byte, 2*million)}}, false},
		"some messages":       {pending(100_000), false},
		"messages of nothing": {pending(million / 2), true},
		"texts":               {names(4000, 1000), false},
		"texts of nothing":    {names(2*million, 0), true},
		"numbers":             {&pluginpb.Tensor{Shape: slices.Repeat([]int64{1 << 62}, million/4)}, false},
		"numbers of a byte":   {&pluginpb.Tensor{Shape: make([]int64, 4*million)}, true},
		"what nobody knows":   {unknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := proto.Marshal(c.message)
			if err != nil {
				t.Fatal(err)
			}
			for _, read := range []func(proto.Message) error{
				func(m proto.Message) error { return Unmarshal(proto.UnmarshalOptions{}, b, m) },
				func(m proto.Message) error { return theCodec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, m) },
			} {
				m := c.message.ProtoReflect().New().Interface()
				err := read(m)
				if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "far more memory") {
					t.Errorf("%d bytes: error %v, want one: %v", len(b), err, c.refused)
				}
				if err == nil && !proto.Equal(m, c.message) {
					t.Error("another message was read")
				}
			}
		})
	}
}

// FuzzFits checks that only messages that take too much memory are refused among those that protobuf accepts.
func FuzzFits(f *testing.F) {
	b, err := proto.Marshal(&pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{Work: &pluginpb.Work{
		Pending: []*pluginpb.Pending{{What: "x"}}}}, Complete: &pluginpb.Answers{Ids: []byte{1, 2, 3, 4}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, uint16(1000))
	f.Fuzz(func(t *testing.T, b []byte, most uint16) {
		room := int(most)
		walked := checkMemory(b, (&pluginpb.RunResponse{}).ProtoReflect().Descriptor(), &room)
		if (walked == nil) && room < 0 || errors.Is(walked, errParts) && room >= 0 {
			t.Errorf("error %v with %d bytes left", walked, room)
		}
		if walked != nil && !errors.Is(walked, errParts) && proto.Unmarshal(b, &pluginpb.RunResponse{}) == nil {
			t.Errorf("protobuf reads what is refused here: %v", walked)
		}
	})
}
