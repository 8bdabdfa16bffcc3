package kserve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// hostile is a server that implements HTTP/2 without gRPC's library. It answers like the doubler, except that it
// answers one call with given bytes.
type hostile struct {
	call  string // the call answered with given bytes
	reply func(w http.ResponseWriter, r *http.Request)
}

// serve starts the server and returns its address.
func (h hostile) serve(t *testing.T) string {
	t.Helper()
	l, err := listen("")
	if err != nil {
		t.Fatal(err)
	}
	good := &server{}
	mux := http.NewServeMux()
	for call, answer := range map[string]func() (proto.Message, error){
		"ServerMetadata": func() (proto.Message, error) { return good.ServerMetadata(t.Context(), nil) },
		"ModelReady":     func() (proto.Message, error) { return &oip.ModelReadyResponse{Ready: true}, nil },
		"ModelMetadata":  func() (proto.Message, error) { return good.ModelMetadata(t.Context(), nil) },
	} {
		mux.HandleFunc("/inference.GRPCInferenceService/"+call, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			if call == h.call {
				h.reply(w, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			m, err := answer()
			text, err2 := proto.Marshal(m)
			if errors.Join(err, err2) != nil {
				panic(errors.Join(err, err2))
			}
			_, _ = w.Write(framed(text))
			end(w, "0", "")
		})
	}
	mux.HandleFunc("/inference.GRPCInferenceService/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		if !strings.HasSuffix(r.URL.Path, "/"+h.call) {
			end(w, "12", "no such call")
			return
		}
		if h.call == streamInfer { // an empty request asks whether the call exists
			if n, _ := r.Body.Read(make([]byte, 1)); n == 0 {
				end(w, "0", "")
				return
			}
		}
		h.reply(w, r)
	})
	s := http.Server{Handler: mux, Protocols: new(http.Protocols)}
	s.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// framed returns a gRPC message: a byte that means uncompressed, the length, and the content.
func framed(text []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(text))), text...)
}

func end(w http.ResponseWriter, status, message string) {
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", status)
	w.Header().Set(http.TrailerPrefix+"Grpc-Message", message)
}

// says answers with the given bytes.
func says(text []byte) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(text)
		end(w, "0", "")
	}
}

// ends answers only with a status.
func ends(status, message string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { end(w, status, message) }
}

// endless begins a message of n bytes and continues as long as the client reads.
func endless(n uint32) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(binary.BigEndian.AppendUint32([]byte{0}, n))
		piece := make([]byte, 64<<10)
		for r.Context().Err() == nil {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}
}

// page answers like a web server.
func page(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, strings.Repeat("x", 1<<20), http.StatusOK)
}

// drips sends a byte at intervals.
func drips(w http.ResponseWriter, r *http.Request) {
	_, _ = w.Write([]byte{0, 0, 0, 1, 0})
	for r.Context().Err() == nil {
		_ = http.NewResponseController(w).Flush()
		time.Sleep(20 * time.Millisecond)
		if _, err := w.Write([]byte{0}); err != nil {
			return
		}
	}
}

// TestHostileServers checks that every unexpected answer becomes an error of limited length that names the server,
// within the time limits, and with little memory.
func TestHostileServers(t *testing.T) {
	long := strings.Repeat("x", 6<<20)
	frame := func(m proto.Message) func(http.ResponseWriter, *http.Request) {
		text, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return says(framed(text))
	}
	many := &oip.ModelMetadataResponse{}
	lies := &oip.InferOutputTensor{Name: "y", Datatype: "FP32", Shape: make([]int64, 1<<16)}
	for i := range 50_000 {
		many.Inputs = append(many.Inputs, &oip.TensorMetadata{Name: fmt.Sprint("input ", i), Datatype: "FP32"})
		lies.Shape[i] = 1 << 40
	}
	for name, c := range map[string]struct {
		call  string
		reply func(http.ResponseWriter, *http.Request)
		want  string // text of the error
	}{
		"a frame beyond limits":    {infer, says([]byte{0, 0xff, 0xff, 0xff, 0xff, 1, 2}), "larger than max"},
		"a frame that is cut":      {infer, says([]byte{0, 0, 0, 0, 100, 1, 2}), "unexpected EOF"},
		"half a head of a frame":   {infer, says([]byte{0, 0}), "unexpected EOF"},
		"nothing":                  {infer, says(nil), "no response message"},
		"no message":               {infer, says(framed([]byte{0xff, 0xff, 0xff})), "unmarshal"},
		"a compressed frame":       {infer, says([]byte{1, 0, 0, 0, 1, 0}), "compressed flag set"},
		"a page":                   {infer, page, "content-type"},
		"a drip":                   {infer, drips, "no answer in time (option timeout)"},
		"a long reason":            {infer, ends("13", long[:900<<10]), "xxx..."},
		"a shape without end":      {infer, frame(&oip.ModelInferResponse{Outputs: []*oip.InferOutputTensor{lies}}), "..."},
		"a stream's long reason":   {streamInfer, frame(&oip.ModelStreamInferResponse{ErrorMessage: long}), "xxx..."},
		"a stream's drip":          {streamInfer, drips, "no answer in time (option timeout)"},
		"a stream of no messages":  {streamInfer, says(framed([]byte{0xff, 0xff, 0xff})), "unmarshal"},
		"an answer nobody asked":   {streamInfer, frame(streamed("7")), "was not asked"},
		"an id without end":        {streamInfer, frame(streamed(long)), "xxx..."},
		"a model without end":      {about, endless(1 << 30), "larger than max"},
		"a long model":             {about, frame(&oip.ModelMetadataResponse{Name: long}), "larger than max"},
		"many tensors":             {about, frame(many), "..."},
		"a state without end":      {"ModelReady", endless(1 << 30), "is not ready within 3s"},
		"a name without end":       {named, endless(1 << 30), "no such call"},
		"a long name":              {named, frame(&oip.ServerMetadataResponse{Name: long[:3<<20]}), "no such call"},
		"no name, and a long why":  {named, ends("13", long[:900<<10]), "no such call"},
		"a status that is no code": {"ModelReady", ends("-1", "x"), "is not ready within 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := hostile{c.call, c.reply}.serve(t)
			options := map[string]string{"url": address, "timeout": "1m", "stream": "off"}
			switch c.call {
			case streamInfer:
				options["stream"] = "on"
			case "ModelReady":
				options["connect_timeout"] = "3s"
			}
			if strings.Contains(c.want, "option timeout") {
				options["timeout"] = "2s"
			}
			s, err := Backend{}.Open(t.Context(), doubler(), backend.Config{Options: options})
			if err == nil {
				if about := s.(backend.Describer).Describe(); len(about.Version) > maxNameBytes+len("...") {
					t.Errorf("the server is called by %d bytes", len(about.Version))
				}
				err = run(t.Context(), s)
				_ = s.Close() // returns the same error again
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), address) ||
				len(err.Error()) > 2*maxReasonBytes {
				t.Errorf("error %.500v, want %q, %s and not more than a page", err, c.want, address)
			}
		})
	}
}

// Calls of the protocol.
const infer, streamInfer, about, named = "ModelInfer", "ModelStreamInfer", "ModelMetadata", "ServerMetadata"

func streamed(id string) *oip.ModelStreamInferResponse {
	return &oip.ModelStreamInferResponse{InferResponse: &oip.ModelInferResponse{Id: id}}
}
