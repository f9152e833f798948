"""The network that predicts, for every format, the seconds of a product and of the conversion.

It is a ReLU network of standardised inputs with 2F outputs for F formats, ln(t_f / t_csr), then
ln(max(c_f, 0.01 t_csr) / t_csr). Several small networks are trained from different starts and
their mean is taken, which is again one network: the hidden units side by side.
"""

import dataclasses
import json

import numpy as np
import torch

torch.set_num_threads(2)


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a network is built and trained."""
    hidden: tuple = (16,)        # units of each hidden layer of one member
    members: int = 4             # networks whose mean is taken
    regret: float = 1.0          # weight of the expected loss beside the regression
    temperature: float = 0.1     # of the softmax over formats, in units of ln t
    noise: float = 0.1           # standard deviation added to the standardised inputs of a step
    decay: float = 1e-2          # weight decay (AdamW)
    steps: int = 1500            # of all cases at once
    rate: float = 1e-2           # learning rate at the start; it falls to 0 as a cosine
    seed: int = 1


@dataclasses.dataclass
class Network:
    """As in the network file: weights are out x in, a ReLU between layers."""
    offset: np.ndarray
    scale: np.ndarray
    layers: list

    def __call__(self, inputs):
        values = (inputs - self.offset) * self.scale
        for number, (weights, bias) in enumerate(self.layers):
            values = (np.maximum(values, 0) if number else values) @ weights.T + bias
        return values


def targets(cases):
    """The 2F outputs wanted; not finite where a format could not run."""
    csr = cases.seconds[:, [cases.csr]]
    return np.log(np.hstack([cases.seconds, np.maximum(cases.conversions, 0.01 * csr)]) / csr)


def _loss(outputs, wanted, ran, losses, weights, settings):
    """Of every member (the first index), summed.

    Huber's regression of both halves, where formats near the best weigh most, and the expected
    loss of a format drawn by the softmax of minus the predicted ln t.
    """
    formats = ran.shape[1]
    huber = torch.nn.functional.huber_loss(outputs, wanted.expand_as(outputs), reduction="none",
                                           delta=0.3)
    near = ran / (1 + losses)
    times = (huber[..., :formats] * near).sum(-1) / near.sum(-1)
    conversions = (huber[..., formats:] * ran).sum(-1) / ran.sum(-1)
    odds = torch.where(ran, -outputs[..., :formats] / settings.temperature, -torch.inf)
    expected = (odds.softmax(-1) * losses).sum(-1)
    each = times + settings.regret * expected + 0.1 * conversions
    return (each * weights).sum()


def _weights_of(kinds):
    """A kind weighs as the root of its number of cases: many of one teach little of another."""
    names, index, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    weights = 1 / np.sqrt(counts[index])
    return weights / weights.sum()


def _standardisation(inputs):
    spread = inputs.std(axis=0)
    constant = spread < 1e-12
    return inputs.mean(axis=0), np.where(constant, 0, 1 / np.where(constant, 1, spread))


def _start(sizes, settings, bias):
    """Weights and biases of all members, He's initialisation; the last bias is the mean target."""
    generator = torch.Generator().manual_seed(settings.seed)
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        weights = torch.randn(settings.members, outputs, inputs, generator=generator)
        layers.append([weights * np.sqrt(2 / inputs), torch.zeros(settings.members, 1, outputs)])
    layers[-1][0] *= 0.1
    layers[-1][1] += bias
    return [[parameter.requires_grad_() for parameter in layer] for layer in layers], generator


def _forward(layers, values):
    for number, (weights, bias) in enumerate(layers):
        values = torch.baddbmm(bias, values.relu() if number else values, weights.mT)
    return values


def _side_by_side(layers):
    """One network whose outputs are the mean of the members'."""
    members = len(layers[0][0])
    merged = []
    for number, (weights, bias) in enumerate(layers):
        weights, bias = weights.detach().double().numpy(), bias.detach().double().numpy()[:, 0]
        if number == 0:
            merged.append((np.concatenate(weights), np.concatenate(bias)))
        elif number + 1 < len(layers):
            merged.append((np.array(torch.block_diag(*map(torch.from_numpy, weights))),
                           np.concatenate(bias)))
        else:
            merged.append((np.hstack(weights) / members, bias.mean(axis=0)))
    return merged


def train(cases, settings):
    """The network of these cases; the same for the same cases and settings."""
    offset, scale = _standardisation(cases.inputs)
    wanted, ran = targets(cases), cases.ran
    mean = np.where(np.isfinite(wanted), wanted, 0).sum(0) / np.maximum(1, np.tile(ran.sum(0), 2))
    as_tensor = lambda array: torch.tensor(np.asarray(array, dtype=np.float32))
    inputs = as_tensor((cases.inputs - offset) * scale).expand(settings.members, -1, -1)
    constants = (as_tensor(np.where(np.isfinite(wanted), wanted, 0)), torch.tensor(ran),
                 as_tensor(np.minimum(cases.losses, 10)), as_tensor(_weights_of(cases.kind)))
    layers, generator = _start([inputs.shape[-1], *settings.hidden, wanted.shape[1]], settings,
                               as_tensor(mean))
    groups = [{"params": [layer[0] for layer in layers], "weight_decay": settings.decay},
              {"params": [layer[1] for layer in layers], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=settings.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.steps)
    for _ in range(settings.steps):
        optimizer.zero_grad()
        noise = torch.randn(inputs.shape, generator=generator) * settings.noise
        _loss(_forward(layers, inputs + noise), *constants, settings).backward()
        optimizer.step()
        schedule.step()
    network = Network(offset, scale, _side_by_side(layers))
    with torch.no_grad():
        difference = _forward(layers, inputs).mean(0).numpy() - network(cases.inputs)
    assert np.abs(difference).max() < 1e-3, "the members side by side are not their mean"
    return network


def write(path, network, cases, settings):
    """The network file; read again, it must give the same outputs."""
    content = {
        "format_network": 1,
        "backend": cases.backend,
        "inputs": cases.input_names,
        "offset": network.offset.tolist(),
        "scale": network.scale.tolist(),
        "formats": cases.formats,
        "layers": [{"weights": weights.tolist(), "bias": bias.tolist()}
                   for weights, bias in network.layers],
        "trained_on": {"matrices": len(set(cases.name)), "kinds": len(set(cases.kind)),
                       "products": len(cases), "device": ", ".join(cases.devices),
                       **dataclasses.asdict(settings)},
    }
    # Six figures are more than the timings have, and keep the file small.
    rounded = json.loads(json.dumps(content), parse_float=lambda text: float(f"{float(text):.6g}"))
    with open(path, "w") as file:
        json.dump(rounded, file, separators=(",", ":"))
        file.write("\n")
    difference = np.abs(read(path)(cases.inputs) - network(cases.inputs)).max()
    if difference > 1e-3:
        raise SystemExit(f"{path}: its outputs differ from the trained network's by {difference}")


def read(path):
    """The network of a network file."""
    with open(path) as file:
        content = json.load(file)
    layers = [(np.array(layer["weights"]), np.array(layer["bias"])) for layer in content["layers"]]
    return Network(np.array(content["offset"]), np.array(content["scale"]), layers)
