"""ONNX graphs, built node by node."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def array(parameter):
    """The values of a parameter of torch, float32."""
    return parameter.detach().numpy().astype(np.float32)


def tensor(kind):
    """Declares inputs and outputs of a type: by name and shape, whose free axes are names."""
    return lambda name, *shape: helper.make_tensor_value_info(name, kind, shape)


floats, ints = tensor(TensorProto.FLOAT), tensor(TensorProto.INT64)


def folded(conv, norm):
    """Kernel and bias, float32, of a convolution with the batch normalisation behind it, None where there is none."""
    kernel = conv.weight.detach().double().numpy()
    bias = np.zeros(len(kernel)) if conv.bias is None else conv.bias.detach().double().numpy()
    if norm is not None:
        gain = (norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()).detach().numpy()
        kernel = kernel * gain.reshape(-1, *[1] * (kernel.ndim - 1))
        bias = norm.bias.detach().double().numpy() + (bias - norm.running_mean.double().numpy()) * gain
    return kernel.astype(np.float32), bias.astype(np.float32)


class Graph:
    """Nodes and constants in the order of their making. Each method adds what its name says, and returns the name of
    the result. dense are the names of the products with weights, which INT8 quantises."""

    def __init__(self):
        self.nodes, self.weights, self.dense = [], {}, []

    def weight(self, name, value):
        """A constant; one where several nodes share it."""
        if name not in self.weights:
            self.weights[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def ints(self, *values):
        return self.weight("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def node(self, kind, inputs, outputs, name=None, **attributes):
        """outputs: a name, or a list of them. The node is called as its first output where no name is given."""
        listed = [outputs] if isinstance(outputs, str) else outputs
        name = listed[0] if name is None else name
        self.nodes.append(helper.make_node(kind, inputs, listed, name, **attributes))
        return outputs

    def conv(self, output, x, conv, norm=None, weights=None, scale=1):
        """A convolution with its batch normalisation folded in. weights names its kernel and bias, by default the
        output; scale is what the kernel is multiplied by."""
        kernel, bias = folded(conv, norm)
        weights = weights or output
        inputs = [x, self.weight(weights + ".weight", kernel * np.float32(scale)), self.weight(weights + ".bias", bias)]
        shape = {"kernel_shape": conv.kernel_size, "strides": conv.stride, "pads": conv.padding * 2}
        return self.node("Conv", inputs, output, **shape)

    def linear(self, name, x, weight, bias=None):
        """A product with a weight in,out that INT8 quantises, and a sum with the bias where there is one."""
        y = self.node("MatMul", [x, self.weight(name + ".weight", weight)], name + "/product")
        self.dense.append(y)
        return y if bias is None else self.node("Add", [y, self.weight(name + ".bias", bias)], name)

    def norm(self, name, x, scale, bias, epsilon=1e-5):
        """Normalises the last axis; epsilon is by default that of nn.LayerNorm."""
        inputs = [x, self.weight(name + ".scale", scale), self.weight(name + ".bias", bias)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=epsilon)

    def gelu(self, name, x):
        y = self.node("Div", [x, self.weight("root_two", np.float32(np.sqrt(2)))], name + "/scaled")
        y = self.node("Erf", [y], name + "/erf")
        y = self.node("Add", [y, self.weight("one", np.float32(1))], name + "/plus_one")
        y = self.node("Mul", [x, y], name + "/product")
        return self.node("Mul", [y, self.weight("half", np.float32(0.5))], name)

    def model(self, name, inputs, outputs, opset, ir_version=8, contrib=False, check=True, values=None):
        """The checked model. contrib: it has operators of ONNX Runtime's own, whose results values declares."""
        body = helper.make_graph(self.nodes, name, inputs, outputs, list(self.weights.values()), value_info=values)
        opsets = [helper.make_opsetid("", opset)]
        if contrib:
            opsets.append(helper.make_opsetid("com.microsoft", 1))
        model = helper.make_model(body, opset_imports=opsets, producer_name="plumbline", ir_version=ir_version)
        if check:
            onnx.checker.check_model(model, full_check=not contrib)
        return model
