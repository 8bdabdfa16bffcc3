package main

import (
	"bytes"
	"os"

	"github.com/plumbline-ml/plumbline/sdk/internal/handshake"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/ring"
)

// deed is what a plugin does with the ring that it is offered.
type deed func(stream runStream, offer []int) error

// deeds are the faults of plugins that take a ring.
var deeds = map[string]deed{
	"ring-unasked": func(stream runStream, _ []int) error { return takeRing(stream) },
	"ring-silent":  func(stream runStream, _ []int) error { return takeRing(stream) },
	"ring-and-stream": func(stream runStream, _ []int) error {
		if err := takeRing(stream); err != nil {
			return err
		}
		return stream.Send(&pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{}})
	},
	"ring-scribbled": func(stream runStream, offer []int) error {
		scribble := bytes.Repeat([]byte{0xff}, ring.Bytes)
		if _, err := os.NewFile(uintptr(offer[0]), "memory").WriteAt(scribble, 0); err != nil {
			return err
		}
		if err := takeRing(stream); err != nil {
			return err
		}
		const answersWritten = 3
		_, err := os.NewFile(uintptr(offer[answersWritten]), "bell").Write([]byte{1, 0, 0, 0, 0, 0, 0, 0})
		return err
	},
	"ring-garbage": func(stream runStream, offer []int) error {
		ends, err := ring.Open(offer, handshake.MaxMessage)
		if err != nil {
			return err
		}
		if err := takeRing(stream); err != nil {
			return err
		}
		return ends.Writer.Write([]byte{0xff, 0xff, 0xff})
	},
}

func takeRing(stream runStream) error {
	return stream.Send(&pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{}, Ring: true})
}

// play does the deed and waits for the end of the stream.
func (d deed) play(stream runStream, start *pluginpb.Start) error {
	var offer []int
	for _, fd := range start.GetRing().GetDescriptors() {
		offer = append(offer, int(fd))
	}
	if err := d(stream, offer); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}
