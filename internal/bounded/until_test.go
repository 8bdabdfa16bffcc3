package bounded

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestUntil(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	text := strings.NewReader(strings.Repeat("x", 100))
	var got bytes.Buffer
	if n, err := io.CopyN(&got, NewContextReader(ctx, text), 40); n != 40 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	cancel(why)
	if n, err := io.Copy(&got, NewContextReader(ctx, text)); n != 0 || !errors.Is(err, why) {
		t.Errorf("%d bytes after the end, %v", n, err)
	}
	if n, err := io.Copy(&got, NewContextReader(t.Context(), text)); n != 60 || err != nil || got.Len() != 100 {
		t.Errorf("%d bytes of the rest, %v", n, err)
	}
}
