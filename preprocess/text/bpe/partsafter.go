package bpe

import "encoding/json"

func (p *fileParser) buildDecoder(data json.RawMessage) tokenDecoder {
	if isNull(data) {
		return newStepDecoder(nil, " ")
	}
	v, ok := p.readPart("decoder", data)
	if ok && v.Type == "ByteLevel" {
		return decodeBytes
	}
	return newStepDecoder(p.buildSteps(data), "")
}

func (p *fileParser) buildSteps(data json.RawMessage) []decodeStep {
	v, ok := p.readPart("decoder", data)
	if !ok {
		return nil
	}
	switch v.Type {
	case "Sequence":
		var steps []decodeStep
		for _, next := range v.Decoders {
			steps = append(steps, p.buildSteps(next)...)
		}
		return steps
	case "Replace":
		if v.Pattern.String != nil {
			return []decodeStep{newReplaceStep(*v.Pattern.String, v.Content)}
		}
		p.addFault("a Replace decoder without a pattern of kind String")
		return nil
	case "ByteFallback":
		return []decodeStep{joinBytes}
	case "Fuse":
		return []decodeStep{fuseTokens}
	case "Strip":
		if v.Content == "" {
			p.addFault("a Strip decoder without content")
		}
		return []decodeStep{newStripStep(v.Content, v.Start, v.Stop)}
	case "Metaspace":
		return []decodeStep{newBlankStep(v.Replacement, p.prependScheme(v) != "never")}
	}
	p.addFault("decoder %q, want ByteLevel alone, or Sequence, Replace, ByteFallback, Fuse, Strip or Metaspace", v.Type)
	return nil
}

// templateItem is an item of a template: a special token or the text.
type templateItem struct {
	SpecialToken *struct{ ID string } `json:"SpecialToken"`
	Sequence     *struct{ ID string } `json:"Sequence"`
}

// buildPostProcessor determines the special tokens before and after a text.
func (p *fileParser) buildPostProcessor(t *Tokenizer, data json.RawMessage) {
	if isNull(data) {
		return
	}
	v, ok := p.readPart("post_processor", data)
	if !ok {
		return
	}
	switch v.Type {
	case "Sequence":
		for _, next := range v.Processors {
			p.buildPostProcessor(t, next)
		}
	case "ByteLevel": // changes only offsets, which this package does not compute
	case "TemplateProcessing":
		p.applyTemplate(t, v)
	default:
		p.addFault("post-processor %q, want Sequence, ByteLevel or TemplateProcessing", v.Type)
	}
}

func (p *fileParser) applyTemplate(t *Tokenizer, v filePart) {
	var before, after []int32
	sequences := 0
	for _, item := range v.Single {
		if item.Sequence != nil {
			sequences++
			continue
		}
		if item.SpecialToken == nil {
			p.addFault("a template with something else than SpecialToken and Sequence")
			continue
		}
		token, ok := v.SpecialTokens[item.SpecialToken.ID]
		if !ok || len(token.IDs) == 0 {
			p.addFault("a template with the special token %.40q, whose ids it does not tell", item.SpecialToken.ID)
		}
		if sequences == 0 {
			before = append(before, token.IDs...)
		} else {
			after = append(after, token.IDs...)
		}
	}
	if sequences != 1 {
		p.addFault("a template with %d sequences for a single text, want 1", sequences)
	}
	t.prefixIDs = append(before, t.prefixIDs...)
	t.suffixIDs = append(t.suffixIDs, after...)
}
