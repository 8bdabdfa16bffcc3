"""The network as ONNX files with the tensors of the official 3D U-Net, in FP32 and in INT8."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

from data import WINDOW
from network import CLASSES

INPUT, OUTPUT = "input", "output"
OPSET, IR_VERSION = 13, 8
QUANTISED = ["Conv", "Relu", "Add", "Resize"]
FULL = ["stem/conv", "merge0/conv", "output"]  # few channels over whole windows: eight bits are slower there


class Graph:
    """A graph that grows node by node; each method returns the name of its result."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, name, array):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name))
        return name

    def node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def conv(self, name, x, conv, kernel, bias):
        weights = [self.weight(name + ".weight", kernel), self.weight(name + ".bias", bias)]
        shape = {"kernel_shape": list(conv.kernel_size), "strides": list(conv.stride), "pads": list(conv.padding) * 2}
        return self.node("Conv", [x, *weights], name if name == OUTPUT else name + "/conv", **shape)

    def plain(self, name, x, conv):
        return self.conv(name, x, conv, conv.weight.detach().numpy(), conv.bias.detach().numpy())

    def normed(self, name, x, module):
        """A convolution with its batch normalisation folded in, and ReLU."""
        conv, norm = module[0], module[1]
        gain = (norm.weight / (norm.running_var + norm.eps).sqrt()).detach().double().numpy()
        bias = norm.bias.detach().double().numpy() - norm.running_mean.double().numpy() * gain
        kernel = conv.weight.detach().double().numpy() * gain[:, None, None, None, None]
        return self.node("Relu", [self.conv(name, x, conv, kernel, bias)], name)

    def double(self, name, x):
        scales = self.weight(name + ".scales", np.array([1, 1, 2, 2, 2]))
        how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.node("Resize", [x, "", scales], name, **how)


def write_fp32(network, path, window=WINDOW, batch="N"):
    graph = Graph()
    x, left = graph.normed("stem", INPUT, network.stem), []
    for i, (halve, deepen) in enumerate(zip(network.halve, network.deepen)):
        left.append(x)
        x = graph.normed(f"deepen{i}", graph.normed(f"halve{i}", x, halve), deepen)
    for i, skip in reversed(list(enumerate(left))):
        x = graph.double(f"double{i}", graph.plain(f"narrow{i}", x, network.narrow[i]))
        x = graph.normed(f"merge{i}", graph.node("Add", [x, skip], f"add{i}"), network.merge[i])
    graph.plain(OUTPUT, x, network.head)
    onnx.save(_model(graph, batch, [window] * 3), path)


def _model(graph, batch, sides):
    inputs = [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [batch, 1, *sides])]
    outputs = [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [batch, CLASSES, *sides])]
    body = helper.make_graph(graph.nodes, "plumbline-unet3d", inputs, outputs, graph.weights)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="plumbline")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


class Calibration(CalibrationDataReader):
    """Feeds windows, in batches."""

    def __init__(self, windows, batch=8):
        self.batches = (windows[i : i + batch] for i in range(0, len(windows), batch))

    def get_next(self):
        batch = next(self.batches, None)
        return None if batch is None else {INPUT: batch}


def write_int8(fp32, windows, path):
    """Quantises statically: UInt8 activations from the windows' ranges, Int8 weights per channel.

    Weights keep seven bits: processors without VNNI add pairs of products in 16 bits, which eight bits overflow, and
    the answers would depend on the processor.
    """
    quantize_static(
        fp32,
        path,
        Calibration(windows),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=QUANTISED,
        nodes_to_exclude=FULL,
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        calibrate_method=CalibrationMethod.MinMax,
    )
