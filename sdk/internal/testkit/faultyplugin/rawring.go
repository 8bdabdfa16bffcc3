package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/ring"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// ringMisuse misuses the ring that is offered to a faulty plugin.
type ringMisuse func(stream runStream, offer []int) error

// ringFaults contains the faults of plugins that accept a ring.
var ringFaults = map[string]ringMisuse{
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
		_, err := os.NewFile(uintptr(offer[answersWritten]), "bell").Write([]byte{1, 0, 0, 0, 0, 0, 0, 0})
		return err
	},
	"ring-overread": func(stream runStream, offer []int) error {
		read := binary.LittleEndian.AppendUint64(nil, 1<<40)
		if _, err := os.NewFile(uintptr(offer[0]), "memory").WriteAt(read, ring.ToPluginRead); err != nil {
			return err
		}
		return takeRing(stream)
	},
	"ring-garbage": func(stream runStream, offer []int) error {
		ends, err := ring.OpenEnds(offer, wire.MaxMessage)
		if err != nil {
			return err
		}
		if err := takeRing(stream); err != nil {
			return err
		}
		return ends.Writer.Write([]byte{0xff, 0xff, 0xff})
	},
	"ring-bomb": func(stream runStream, offer []int) error {
		ends, err := ring.OpenEnds(offer, wire.MaxMessage)
		if err != nil {
			return err
		}
		frame, err := proto.Marshal(&pluginpb.RunResponse{Heartbeat: bombHeartbeat()})
		if err == nil {
			err = takeRing(stream)
		}
		if err != nil {
			return err
		}
		return ends.Writer.Write(frame)
	},
	"ring-last-words": func(stream runStream, offer []int) error {
		ends, err := ring.OpenEnds(offer, wire.MaxMessage)
		if err != nil {
			return err
		}
		if err := takeRing(stream); err != nil {
			return err
		}
		return ring.NewReceiver(ends.Reader, func(frame []byte) error {
			return answerAndDie(ends.Writer,
				frame)
		}).Run(ring.NeverLook)
	},
	"ring-blocking": func(stream runStream, offer []int) error {
		if err := takeRing(stream); err != nil {
			return err
		}
		return makeBlock(offer[1:])
	},
	"ring-oversized": func(stream runStream, offer []int) error {
		return writeRaw(stream, offer, []byte{0xff, 0xff, 0xff, 0xff, 0})
	},
	"ring-cut": func(stream runStream, offer []int) error {
		return errors.Join(writeRaw(stream, offer, []byte{100, 0, 0, 0, 1, 2, 3}), dieBySignal())
	},
}

// answerAndDie answers the samples of a frame one by one and immediately ends the process, before the harness can have
// received all answers.
func answerAndDie(to *ring.FrameWriter, frame []byte) error {
	var r pluginpb.RunRequest
	if err := proto.Unmarshal(frame, &r); err != nil {
		return err
	}
	samples := r.GetIssue().GetSamples()
	for at := 0; at < len(samples); at += sampleBytes {
		answer, err := proto.Marshal(&pluginpb.RunResponse{Workload: workloadNumber,
			Complete: &pluginpb.Answers{Ids: samples[at : at+idBytes]}})
		if err != nil {
			return err
		}
		if err := to.Write(answer); err != nil {
			return err
		}
	}
	if len(samples) == 0 {
		return nil
	}
	return dieBySignal()
}

// makeBlock makes bells blocking, including those of the harness, and rings them so the harness notices.
func makeBlock(bells []int) error {
	for _, fd := range bells {
		if err := syscall.SetNonblock(fd, false); err != nil {
			return err
		}
		if _, err := syscall.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0}); err != nil {
			return err
		}
	}
	return nil
}

// writeRaw accepts the ring and writes bytes to it directly, without the ring's writer.
func writeRaw(stream runStream, offer []int, text []byte) error {
	memory, bell := os.NewFile(uintptr(offer[0]), "memory"), os.NewFile(uintptr(offer[answersWritten]), "bell")
	if err := takeRing(stream); err != nil {
		return err
	}
	if _, err := memory.WriteAt(text, ring.ToHarnessData); err != nil {
		return err
	}
	written := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if _, err := memory.WriteAt(written, ring.ToHarness); err != nil {
		return err
	}
	_, err := bell.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0})
	return err
}

// answersWritten is the index of the bell that signals written answers.
const answersWritten = 3

func takeRing(stream runStream) error {
	return stream.Send(&pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{}, Ring: true})
}

// playMisuse misuses the ring and waits for the end of the stream.
func (d ringMisuse) playMisuse(stream runStream, start *pluginpb.Start) error {
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
