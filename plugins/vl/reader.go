package vl

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// maxTitleBytes is the number of bytes of a title that the network reads.
const maxTitleBytes = 64

// completeModel returns m with the tensors of the embedded network.
func completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{
		{Name: "picture", DType: backend.Uint8, Shape: []int64{-1, drawn.Side, drawn.Side, 3}},
		{Name: "title", DType: backend.Int64, Shape: []int64{-1, maxTitleBytes}},
	}
	m.Outputs = []backend.TensorInfo{
		{Name: "category", DType: backend.Float32, Shape: []int64{-1, drawn.Categories}},
		{Name: "brand", DType: backend.Float32, Shape: []int64{-1, maxTitleBytes}},
		{Name: "second_hand", DType: backend.Float32, Shape: []int64{-1, 1}},
	}
	return m
}

// productReader is a backend.Generator that answers chats about generated products. From the picture, the network
// predicts the category; from the title, it marks the brand and whether the product is second-hand. The answer contains
// those predictions that the chat offers, in a template. Tokens are bytes.
type productReader struct {
	session backend.Session
	words   *promptWords
	slots   chan struct{}
}

var (
	_ backend.Generator  = (*productReader)(nil)
	_ backend.PartsTaker = (*productReader)(nil)
)

func newProductReader(s backend.Session, w *promptWords, concurrency int) *productReader {
	return &productReader{s, w, make(chan struct{}, concurrency)}
}

// TakesParts returns true: it uses pictures.
func (r *productReader) TakesParts() bool { return true }

// Limits returns the concurrency that was requested.
func (r *productReader) Limits() backend.Limits {
	return backend.Limits{Concurrency: cap(r.slots), MaxBatch: 1, Native: r.session.Limits().Native}
}

func (r *productReader) Close() error { return r.session.Close() }

// errChat means that a chat is not about a product.
var errChat = errors.New("the embedded network reads chats about products alone")

// Generate answers a chat of two messages. The second one must contain the product.
func (r *productReader) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-r.slots }()
	text, url := lastMessageParts(p.Messages)
	title, categories, ok := r.words.splitMessage(text)
	if !ok {
		return fmt.Errorf("%w: the user's message has other words than those of parameter prompts: %.80q", errChat, text)
	}
	picture, err := decodePixels(url)
	if err != nil {
		return err
	}
	a, err := r.runNetwork(ctx, picture, title)
	if err != nil {
		return err
	}
	text, err = a.fillAnswer(title, categories)
	if err != nil {
		return err
	}
	sink.FirstToken(backend.Tokens{Text: text[:1], N: 1})
	sink.Complete(backend.Tokens{Text: text, N: len(text), Finish: "stop"})
	return nil
}

// lastMessageParts returns the text and the picture of the last message.
func lastMessageParts(messages []backend.ChatMessage) (text, url string) {
	if len(messages) == 0 {
		return "", ""
	}
	for _, part := range messages[len(messages)-1].Parts {
		if part.ImageURL != "" {
			url = part.ImageURL
		} else {
			text += part.Text
		}
	}
	return text, url
}

// greyLevel is the level of the network's input if there is no picture.
const greyLevel = 128

// decodePixels decodes a picture for the network: Side x Side pixels in RGB.
func decodePixels(url string) ([]byte, error) {
	if url == "" {
		return bytes.Repeat([]byte{greyLevel}, drawn.Side*drawn.Side*3), nil
	}
	_, encoded, found := strings.Cut(url, ";base64,")
	if !found || !strings.HasPrefix(url, "data:") {
		return nil, fmt.Errorf("%w: the picture is not in the request, but at %.80q", errChat, url)
	}
	file, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("the picture is no base 64: %w", err))
	}
	img, err := image.Decode(file, image.DecodeOptions{})
	if err == nil && (img.W != drawn.Side || img.H != drawn.Side) {
		img, err = image.Resize(img, drawn.Side, drawn.Side, image.Area)
	}
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("the picture: %w", err))
	}
	return img.Pix, nil
}

// productLogits contains the outputs of the network.
type productLogits struct {
	categories, brand []float32 // logits of the categories, and of the bytes of the title
	secondHand        float32
}

// runNetwork runs the network for one product.
func (r *productReader) runNetwork(ctx context.Context, picture []byte, title string) (p productLogits, err error) {
	codes := make([]byte, 0, 8*maxTitleBytes)
	for i := range maxTitleBytes {
		code := uint64(0)
		if i < len(title) {
			code = uint64(title[i])
		}
		codes = binary.LittleEndian.AppendUint64(codes, code)
	}
	in := []backend.Tensor{
		{Name: "picture", DType: backend.Uint8, Shape: []int64{1, drawn.Side, drawn.Side, 3}, Data: picture},
		{Name: "title", DType: backend.Int64, Shape: []int64{1, maxTitleBytes}, Data: codes},
	}
	out := make([]backend.Tensor, 3)
	if err := r.session.Run(ctx, in, out); err != nil {
		return p, err
	}
	numbers := make([][]float32, len(out))
	for i := range out {
		numbers[i] = slices.Clone(backend.View[float32](out[i].Data))
		out[i].Release()
	}
	return productLogits{numbers[0], numbers[1], numbers[2][0]}, nil
}

// fillAnswer returns the answer for the network's outputs.
func (p *productLogits) fillAnswer(title, categories string) (string, error) {
	return answerJSON(p.likeliestCategory(categories), p.findBrand(title), p.secondHand > 0)
}

// answerJSON returns an answer as JSON.
func answerJSON(category, brand string, secondHand bool) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(struct {
		Category   string `json:"category"`
		Brand      string `json:"brand"`
		SecondHand bool   `json:"is_secondhand"`
	}{category, brand, secondHand})
	return strings.TrimSuffix(b.String(), "\n"), err
}

// likeliestCategory returns the most likely of the offered categories, or "" if the network knows none of them.
func (p *productLogits) likeliestCategory(offered string) string {
	best, most := "", float32(math.Inf(-1))
	for c, logit := range p.categories {
		if name := drawn.CategoryName(c); logit > most && strings.Contains(offered, name) {
			best, most = name, logit
		}
	}
	return best
}

// findBrand returns the run of bytes in a title whose logits have the largest sum, or "" if no logit is above 0.
func (p *productLogits) findBrand(title string) string {
	var best, sum float32
	start, end, from := 0, 0, 0
	for i := range min(len(title), maxTitleBytes) {
		if sum <= 0 {
			sum, from = 0, i
		}
		if sum += p.brand[i]; sum > best {
			best, start, end = sum, from, i+1
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(title[start:end], "\ufffd"))
}
