package vl

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/plumbline-ml/plumbline/datasets/products"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// productChat is the chat about a product.
type productChat struct {
	json []byte // in the form of AppendChat
	text string // the user's text
	url  string // URL of the picture; empty: hidden
}

// chatSet contains the chats about all products.
type chatSet interface {
	Len() int
	loadChat(ctx context.Context, i int) (productChat, error)
	Size() int64 // stored bytes
	Close() error
}

// drawnChats makes the chats of generated products when they are loaded.
type drawnChats struct {
	generatedCatalogue
	settings *chatSettings
	n        int
}

func (d drawnChats) Len() int     { return d.n }
func (d drawnChats) Size() int64  { return 0 }
func (d drawnChats) Close() error { return nil }

func (d drawnChats) loadChat(ctx context.Context, i int) (productChat, error) {
	row, err := d.Row(ctx, i)
	if err != nil {
		return productChat{}, err
	}
	return d.settings.makeChat(row), nil
}

// makeChat makes the chat about a product.
func (s *chatSettings) makeChat(row *products.ProductRow) productChat {
	c := productChat{text: s.userText(row)}
	if s.HiddenPart != hiddenPicture {
		c.url = string(appendURL(nil, row))
	}
	c.json = backend.AppendChat(nil, backend.Prompt{Messages: s.chatMessages(c.text, c.url)})
	return c
}

// storedChats contains chats in the form in which they are sent. They are made before the run and stored in a
// memory-mapped file. The text of each row consists of the chat as JSON, the user's text, and the length of that text.
type storedChats struct {
	*products.TextStore
	// unoffered is the number of products whose true category is not offered.
	unoffered int
}

// lengthSize is the size of a stored length in bytes.
const lengthSize = 4

// makeChats makes the chats of the first n products.
func makeChats(ctx context.Context, c productSet, s *chatSettings, n int) (chatSet, error) {
	set, isFile := c.(*products.ProductSet)
	if !isFile {
		return drawnChats{generatedCatalogue{drawn.Eval()}, s, n}, nil
	}
	b, err := storeChats(ctx, set, s, n)
	return b, sdk.Data(err)
}

func storeChats(ctx context.Context, set *products.ProductSet, s *chatSettings, n int) (b *storedChats, err error) {
	store, err := products.NewStore("")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	b = &storedChats{TextStore: store}
	var record, url []byte
	err = set.Each(ctx, n, func(_ int, row *products.ProductRow) error {
		if !row.OffersTruth() {
			b.unoffered++
		}
		if url = url[:0]; s.HiddenPart != hiddenPicture {
			url = appendURL(url, row)
		}
		text := s.userText(row)
		record = backend.AppendChat(record[:0], backend.Prompt{Messages: s.chatMessages(text, viewText(url))})
		record = append(record, text...)
		return store.AddText(binary.LittleEndian.AppendUint32(record, uint32(len(text))))
	})
	if err != nil {
		return nil, err
	}
	if err = store.EndWriting(); err != nil {
		return nil, err
	}
	return b, nil
}

// appendURL appends a picture as a data URL. The format has Pillow's spelling.
func appendURL(b []byte, row *products.ProductRow) []byte {
	b = append(append(append(b, "data:image/"...), row.Format...), ";base64,"...)
	if row.Encoded {
		return append(b, row.Picture...)
	}
	return base64.StdEncoding.AppendEncode(b, row.Picture)
}

// viewText returns bytes as a string without copying. They must not change while the string is used.
func viewText(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// loadChat returns the chat of product i. It must not be used after Close.
func (b *storedChats) loadChat(_ context.Context, i int) (productChat, error) {
	record := b.Text(i)
	end := len(record) - lengthSize
	start := end - int(binary.LittleEndian.Uint32(record[end:]))
	c := productChat{json: record[:start], text: viewText(record[start:end])}
	const before = `"url":"`
	if at := bytes.LastIndex(c.json, []byte(before)); at >= 0 { // after this position, the only quote is the final one
		url := c.json[at+len(before):]
		c.url = viewText(url[:bytes.IndexByte(url, '"')])
	}
	return c, nil
}

// userText returns the user's text about a product. For the program over LoadGen, categories have the form of a printed
// Python list.
func (s *chatSettings) userText(row *products.ProductRow) string {
	title := row.Title
	if s.HiddenPart == hiddenTitle {
		title = ""
	}
	categories := row.OfferedText
	if s.Form == loadGenForm {
		offered := make([]any, len(row.Offered))
		for i, text := range row.Offered {
			offered[i] = text
		}
		categories = pyvalue.Repr(offered)
	}
	return s.Words.userMessage(title, row.Description, categories)
}

// chatMessages returns the messages of a chat.
func (s *chatSettings) chatMessages(text, url string) []backend.ChatMessage {
	parts := []backend.MessagePart{{Text: text}}
	if url != "" && s.HiddenPart != hiddenPicture {
		parts = append(parts, backend.MessagePart{ImageURL: url})
	}
	return []backend.ChatMessage{{Role: "system", Content: s.Words.system}, {Role: "user", Parts: parts}}
}
