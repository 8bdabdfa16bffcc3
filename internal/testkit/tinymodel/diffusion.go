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

// elementType returns the element type of the UNet and the decoder.
func (d Drawer) elementType() onnxfile.DType {
	if d.Half {
		return onnxfile.Float16
	}
	return onnxfile.Float
}

// addInput adds an input of that type and converts it to float32.
func (d Drawer) addInput(g *onnxfile.Graph, name string, shape ...int64) string {
	return g.AddNode("Cast", []string{g.AddInput(name, d.elementType(), shape...)}, onnxfile.Int("to",
		int64(onnxfile.Float)))
}

// addOutput converts float32 values to that type and makes them an output.
func (d Drawer) addOutput(g *onnxfile.Graph, name, values string, shape ...int64) {
	g.AddNamedNode([]string{name}, "Cast", []string{values}, onnxfile.Int("to", int64(d.elementType())))
	g.AddOutput(name, d.elementType(), shape...)
}

// The widths of the text encoders' hidden states.
const (
	drawerWidth  = 2
	drawerWidth2 = 3
)

// addStates adds the outputs hidden_states.0 and so on of a text encoder. The second last contains a share of each
// shade.
func (d Drawer) addStates(g *onnxfile.Graph, ids string, layers int, share float32, width int64) {
	table := make([]float32, len(d.Shades)*int(width))
	for token, shade := range d.Shades {
		table[token*int(width)] = share * shade
	}
	state := g.AddNode("Gather", []string{g.AddFloats(table, int64(len(d.Shades)), width), ids})
	if d.Last {
		g.AddNamedNode([]string{"last_hidden_state"}, "Identity", []string{state})
		g.AddOutput("last_hidden_state", onnxfile.Float, -1, -1, width)
		return
	}
	for i := range layers + 1 {
		name := "hidden_states." + string(rune('0'+i))
		wrong := float32(1) // in all other states
		if i == layers-1 {
			wrong = 0
		}
		g.AddNamedNode([]string{name}, "Add", []string{state, g.AddFloats([]float32{wrong})})
		g.AddOutput(name, onnxfile.Float, -1, -1, width)
	}
}

// TextEncoder returns text_encoder/model.onnx. Its hidden states contain half of each shade.
func (d Drawer) TextEncoder() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	d.addStates(g, g.AddInput("input_ids", onnxfile.Int32, -1, -1), 2, 0.5, drawerWidth)
	return g
}

// TextEncoder2 returns text_encoder_2/model.onnx. Its hidden states contain a quarter of each shade, and text_embeds
// another quarter.
func (d Drawer) TextEncoder2() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.AddInput("input_ids", onnxfile.Int64, -1, -1)
	shades := make([]float32, len(d.Shades))
	for i, s := range d.Shades {
		shades[i] = s / 4
	}
	each := g.AddNode("Gather", []string{g.AddFloats(shades, int64(len(shades)), 1), ids})
	g.AddNamedNode([]string{"text_embeds"}, "ReduceSum", []string{each, g.AddInts([]int64{1}, 1)},
		onnxfile.Int("keepdims", 0))
	g.AddOutput("text_embeds", onnxfile.Float, -1, 1)
	d.addStates(g, ids, 3, 0.25, drawerWidth2)
	return g
}

// UNet returns unet/model.onnx, for pictures with that number of pixels per side. It predicts the caption's shade
// everywhere.
func (d Drawer) UNet(side float32) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	sample := d.addInput(g, "sample", -1, 4, -1, -1)
	time := g.AddInput("timestep", onnxfile.Int64, -1)
	hidden := d.addInput(g, "encoder_hidden_states", -1, -1, max(d.Hidden, drawerWidth+drawerWidth2))
	pooled := d.addInput(g, "text_embeds", -1, 1)
	sizes := d.addInput(g, "time_ids", -1, 6)
	shade := g.AddNode("Add", []string{
		g.AddNode("ReduceSum", []string{hidden, g.AddInts([]int64{1, 2}, 2)}, onnxfile.Int("keepdims", 0)),
		g.AddNode("Squeeze", []string{pooled, g.AddInts([]int64{1}, 1)}),
	})
	height := g.AddNode("Gather", []string{sizes, g.AddInts([]int64{4})}, onnxfile.Int("axis", 1))
	shade = g.AddNode("Mul", []string{shade, g.AddNode("Div", []string{height, g.AddFloats([]float32{side})})})
	rows := g.AddNode("Unsqueeze", []string{shade, g.AddInts([]int64{1, 2, 3}, 3)})
	nothing := g.AddNode("Mul", []string{
		sample, g.AddNode("Mul", []string{g.AddNode("Cast", []string{time}, onnxfile.Int("to", int64(onnxfile.Float))),
			g.AddFloats([]float32{0})}),
	})
	d.addOutput(g, "out_sample", g.AddNode("Add", []string{nothing, rows}), -1, 4, -1, -1)
	return g
}

// VAEDecoder returns vae_decoder/model.onnx. The first three channels are the colours of blocks of 8 x 8 pixels.
func (d Drawer) VAEDecoder() *onnxfile.Graph {
	const scale, channels = 8, 4
	g := &onnxfile.Graph{}
	latents := d.addInput(g, "latent_sample", -1, channels, -1, -1)
	weights := make([]float32, channels*3*scale*scale)
	for c := range 3 {
		for i := range scale * scale {
			weights[(3*c+c)*scale*scale+i] = 1
		}
	}
	picture := g.AddNode("ConvTranspose", []string{latents, g.AddFloats(weights, channels, 3, scale, scale)},
		onnxfile.IntList("strides", scale, scale))
	d.addOutput(g, "sample", picture, -1, 3, -1, -1)
	return g
}

// middle adds the pixel of a picture [N,3,H,W] at a position on both axes, [N,3]. It avoids sums over many pixels,
// which are inexact.
func middle(g *onnxfile.Graph, picture string, place int64) string {
	column := g.AddNode("Gather", []string{picture, g.AddInts([]int64{place})}, onnxfile.Int("axis", 3))
	return g.AddNode("Gather", []string{column, g.AddInts([]int64{place})}, onnxfile.Int("axis", 2))
}

// CLIP returns the scorer's CLIP in optimum's form. The features of a picture are the colours of its middle.
func (d Drawer) CLIP() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	ids := g.AddInput("input_ids", onnxfile.Int64, -1, -1)
	pixels := g.AddInput("pixel_values", onnxfile.Float, -1, 3, 224, 224)
	g.AddInput("attention_mask", onnxfile.Int64, -1, -1)
	each := g.AddNode("Gather", []string{g.AddFloats(d.Tokens, int64(len(d.Tokens)/3), 3), ids})
	g.AddNamedNode([]string{"text_embeds"}, "ReduceSum", []string{each, g.AddInts([]int64{1}, 1)},
		onnxfile.Int("keepdims", 0))
	g.AddNamedNode([]string{"image_embeds"}, "Identity", []string{middle(g, pixels, 112)})
	g.AddOutput("text_embeds", onnxfile.Float, -1, 3)
	g.AddOutput("image_embeds", onnxfile.Float, -1, 3)
	return g
}

// Inception returns the scorer's Inception. The only feature of a picture is the mean of its middle's colours.
func (Drawer) Inception() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	in := g.AddInput("input", onnxfile.Float, -1, 3, 299, 299)
	mean := g.AddNode("ReduceMean", []string{middle(g, in, 149)}, onnxfile.IntList("axes", 1), onnxfile.Int("keepdims", 0))
	g.AddNamedNode([]string{"features"}, "Unsqueeze", []string{mean, g.AddInts([]int64{1, 2, 3}, 3)})
	g.AddOutput("features", onnxfile.Float, -1, 1, 1, 1)
	return g
}
