package serve

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// maxMessage is the maximum size of an error's text on the wire.
const maxMessage = 64 << 10

// markBackendError marks an error of a backend's Open as the backend's own if it blames neither options nor the model,
// for example a missing library. Its text is unchanged.
func markBackendError(err error) error {
	if codeOf(err, codes.Unknown) != codes.Unknown || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return backendError{err}
}

// backendError is an error of class backend.ErrFailed whose text does not contain the class.
type backendError struct{ error }

func (f backendError) Unwrap() []error { return []error{f.error, backend.ErrFailed} }

// toStatus converts err to a gRPC status unless it is one. otherwise is the code of an error without a class.
func toStatus(err error, otherwise codes.Code) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(interface{ GRPCStatus() *status.Status }); ok {
		return err
	}
	return status.Error(codeOf(err, otherwise), sanitizeText(err.Error()))
}

// sanitizeText makes text valid for a message. Strings of protobuf are UTF-8, but the messages of a C library may not
// be.
func sanitizeText(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if len(text) <= maxMessage {
		return text
	}
	end := maxMessage
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + " ..."
}

func codeOf(err error, otherwise codes.Code) codes.Code {
	var panicked *batch.PanicError
	switch {
	case errors.As(err, &panicked), errors.Is(err, backend.ErrFailed):
		return codes.Internal
	case sdk.OutOfSpace(err), sdk.OutOfFiles(err), errors.Is(err, sdk.ErrUsage), errors.Is(err, backend.ErrOption):
		return codes.InvalidArgument
	case errors.Is(err, sdk.ErrData), errors.Is(err, backend.ErrModel), errors.Is(err, backend.ErrTensors), errors.Is(err,
		fs.ErrNotExist):
		return codes.FailedPrecondition
	}
	return otherwise
}
