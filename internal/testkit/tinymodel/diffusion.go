package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// Drawer makes models with the tensors of optimum's export of Stable Diffusion XL. They draw pictures of one colour:
// the noise's colour, lighter or darker depending on the caption's tokens.
type Drawer struct {
	Shades []float32 // by token; the UNet uses the sum of a caption's shades
	Tokens []float32 // by token: three numbers; their sums are a caption's features for the scorer's CLIP
	Half   bool      // the UNet and the decoder use float16
	Hidden int64     // width of the text encoders' states that the UNet uses; 0: the encoders' own width
	Last   bool      // the text encoders return only their last hidden states
}

// number returns the element type of the UNet and the decoder.
func (d Drawer) number() onnxfile.DType {
	if d.Half {
		return onnxfile.Float16
	}
	return onnxfile.Float
}

// input adds an input of that type and converts it to float32.
func (d Drawer) input(g *onnxfile.Graph, name string, shape ...int64) string {
	return g.Node("Cast", []string{g.Input(name, d.number(), shape...)}, onnxfile.Int("to", int64(onnxfile.Float)))
}

// output converts float32 values to that type and makes them an output.
func (d Drawer) output(g *onnxfile.Graph, name, values string, shape ...int64) {
	g.Name([]string{name}, "Cast", []string{values}, onnxfile.Int("to", int64(d.number())))
	g.Output(name, d.number(), shape...)
}

// The widths of the text encoders' hidden states.
const (
	drawerWidth  = 2
	drawerWidth2 = 3
)

// states adds the outputs hidden_states.0 and so on of a text encoder. The second last contains a share of each shade.
func (d Drawer) states(g *onnxfile.Graph, ids string, layers int, share float32, width int64) {
	table := make([]float32, len(d.Shades)*int(width))
	for token, shade := range d.Shades {
		table[token*int(width)] = share * shade
	}
	state := g.Node("Gather", []string{g.Floats(table, int64(len(d.Shades)), width), ids})
	if d.Last {
		g.Name([]string{"last_hidden_state"}, "Identity", []string{state})
		g.Output("last_hidden_state", onnxfile.Float, -1, -1, width)
		return
	}
	for i := range layers + 1 {
		name := "hidden_states." + string(rune('0'+i))
		wrong := float32(1) // in all other states
		if i == layers-1 {
			wrong = 0
		}
		g.Name([]string{name}, "Add", []string{state, g.Floats([]float32{wrong})})
		g.Output(name, onnxfile.Float, -1, -1, width)
	}
}

// TextEncoder returns text_encoder/model.onnx. Its hidden states contain half of each shade.
func (d Drawer) TextEncoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	d.states(g, g.Input("input_ids", onnxfile.Int32, -1, -1), 2, 0.5, drawerWidth)
	return g
}

// TextEncoder2 returns text_encoder_2/model.onnx. Its hidden states contain a quarter of each shade, and text_embeds
// another quarter.
func (d Drawer) TextEncoder2() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.Input("input_ids", onnxfile.Int64, -1, -1)
	shades := make([]float32, len(d.Shades))
	for i, s := range d.Shades {
		shades[i] = s / 4
	}
	each := g.Node("Gather", []string{g.Floats(shades, int64(len(shades)), 1), ids})
	g.Name([]string{"text_embeds"}, "ReduceSum", []string{each, g.Ints([]int64{1}, 1)}, onnxfile.Int("keepdims", 0))
	g.Output("text_embeds", onnxfile.Float, -1, 1)
	d.states(g, ids, 3, 0.25, drawerWidth2)
	return g
}

// UNet returns unet/model.onnx, for pictures with that number of pixels per side. It predicts the caption's shade
// everywhere.
func (d Drawer) UNet(side float32) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	sample := d.input(g, "sample", -1, 4, -1, -1)
	time := g.Input("timestep", onnxfile.Int64, -1)
	hidden := d.input(g, "encoder_hidden_states", -1, -1, max(d.Hidden, drawerWidth+drawerWidth2))
	pooled := d.input(g, "text_embeds", -1, 1)
	sizes := d.input(g, "time_ids", -1, 6)
	shade := g.Node("Add", []string{
		g.Node("ReduceSum", []string{hidden, g.Ints([]int64{1, 2}, 2)}, onnxfile.Int("keepdims", 0)),
		g.Node("Squeeze", []string{pooled, g.Ints([]int64{1}, 1)}),
	})
	height := g.Node("Gather", []string{sizes, g.Ints([]int64{4})}, onnxfile.Int("axis", 1))
	shade = g.Node("Mul", []string{shade, g.Node("Div", []string{height, g.Floats([]float32{side})})})
	rows := g.Node("Unsqueeze", []string{shade, g.Ints([]int64{1, 2, 3}, 3)})
	nothing := g.Node("Mul", []string{
		sample, g.Node("Mul", []string{g.Node("Cast", []string{time}, onnxfile.Int("to", int64(onnxfile.Float))),
			g.Floats([]float32{0})}),
	})
	d.output(g, "out_sample", g.Node("Add", []string{nothing, rows}), -1, 4, -1, -1)
	return g
}

// VAEDecoder returns vae_decoder/model.onnx. The first three channels are the colours of blocks of 8 x 8 pixels.
func (d Drawer) VAEDecoder() *onnxfile.Graph {
	const scale, channels = 8, 4
	g := &onnxfile.Graph{}
	latents := d.input(g, "latent_sample", -1, channels, -1, -1)
	weights := make([]float32, channels*3*scale*scale)
	for c := range 3 {
		for i := range scale * scale {
			weights[(3*c+c)*scale*scale+i] = 1
		}
	}
	picture := g.Node("ConvTranspose", []string{latents, g.Floats(weights, channels, 3, scale, scale)},
		onnxfile.IntList("strides", scale, scale))
	d.output(g, "sample", picture, -1, 3, -1, -1)
	return g
}

// middle adds the pixel of a picture [N,3,H,W] at a position on both axes, [N,3]. It avoids sums over many pixels,
// which are inexact.
func middle(g *onnxfile.Graph, picture string, place int64) string {
	column := g.Node("Gather", []string{picture, g.Ints([]int64{place})}, onnxfile.Int("axis", 3))
	return g.Node("Gather", []string{column, g.Ints([]int64{place})}, onnxfile.Int("axis", 2))
}

// CLIP returns the scorer's CLIP in optimum's form. The features of a picture are the colours of its middle.
func (d Drawer) CLIP() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.Input("input_ids", onnxfile.Int64, -1, -1)
	pixels := g.Input("pixel_values", onnxfile.Float, -1, 3, 224, 224)
	g.Input("attention_mask", onnxfile.Int64, -1, -1)
	each := g.Node("Gather", []string{g.Floats(d.Tokens, int64(len(d.Tokens)/3), 3), ids})
	g.Name([]string{"text_embeds"}, "ReduceSum", []string{each, g.Ints([]int64{1}, 1)}, onnxfile.Int("keepdims", 0))
	g.Name([]string{"image_embeds"}, "Identity", []string{middle(g, pixels, 112)})
	g.Output("text_embeds", onnxfile.Float, -1, 3)
	g.Output("image_embeds", onnxfile.Float, -1, 3)
	return g
}

// Inception returns the scorer's Inception. The only feature of a picture is the mean of its middle's colours.
func (Drawer) Inception() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	in := g.Input("input", onnxfile.Float, -1, 3, 299, 299)
	mean := g.Node("ReduceMean", []string{middle(g, in, 149)}, onnxfile.IntList("axes", 1), onnxfile.Int("keepdims", 0))
	g.Name([]string{"features"}, "Unsqueeze", []string{mean, g.Ints([]int64{1, 2, 3}, 3)})
	g.Output("features", onnxfile.Float, -1, 1, 1, 1)
	return g
}
