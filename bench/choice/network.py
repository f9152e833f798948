"""The network that predicts, for every format, the seconds of a product and of the conversion.

It is a ReLU network of standardised inputs with 2F outputs for F formats, ln(t_f / t_csr), then
ln(max(c_f, 0.01 t_csr) / t_csr). Several small networks are trained from different starts and
their mean is taken, which is again one network: the hidden units side by side.
"""

import dataclasses
import json

import numpy as np
import torch

torch.set_num_threads(1)  # the arrays are small


@dataclasses.dataclass(frozen=True)
class Settings:
    """Settings of a network and its training."""
    hidden: tuple = (16, 16)     # units of each hidden layer of one member
    members: int = 4             # networks whose mean is taken
    regret: float = 0.0          # weight of the expected loss beside the regression
    temperature: float = 0.1     # of the softmax over formats, in units of ln t
    noise: float = 0.1           # standard deviation added to the standardised inputs of a step
    decay: float = 1e-2          # weight decay (AdamW)
    steps: int = 1000
    batch: int = 256             # cases of a step
    rate: float = 1e-2           # learning rate at the start; it falls to 0 as a cosine
    seed: int = 1


@dataclasses.dataclass
class Network:
    """Numbers as in the network file: weights are out x in, a ReLU between layers."""
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
    """Loss of each network, summed; the arguments are parts x members x cases x formats.

    Huber's regression of both halves, where formats near the best weigh most, and the expected
    loss of a format drawn by the softmax of minus the predicted ln t.
    """
    formats = ran.shape[-1]
    huber = torch.nn.functional.huber_loss(outputs, wanted.expand_as(outputs), reduction="none",
                                           delta=0.3)
    near = ran / (1 + losses)
    times = (huber[..., :formats] * near).sum(-1) / near.sum(-1)
    conversions = (huber[..., formats:] * ran).sum(-1) / ran.sum(-1)
    odds = torch.where(ran, -outputs[..., :formats] / settings.temperature, -torch.inf)
    expected = (odds.softmax(-1) * losses).sum(-1)
    each = times + settings.regret * expected + 0.1 * conversions
    return (each * weights).mean(-1).sum()


def worthwhile(cases, tolerance=0.01):
    """Columns of few formats, csr among them, the best of which loses `tolerance` at most.

    A loss counts as 1 at most. A format that is hardly ever the best has little to win, and much
    to lose where it is predicted wrongly. The one that saves most is added until they suffice.
    """
    chosen = [cases.csr]
    while True:
        mean_loss = lambda columns: cases.losses[:, columns].min(axis=1).clip(max=1).mean()
        if mean_loss(chosen) <= tolerance:
            return sorted(chosen)
        others = [f for f in range(len(cases.formats)) if f not in chosen]
        chosen.append(min(others, key=lambda f: mean_loss([*chosen, f])))


def _weights(kinds):
    """A kind weighs as the root of its number of cases: many of one teach little of another."""
    _, index, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    weights = 1 / np.sqrt(counts[index])
    return weights / weights.mean()


def _standardisation(inputs):
    spread = inputs.std(axis=0)
    constant = spread < 1e-12
    return inputs.mean(axis=0), np.where(constant, 0, 1 / np.where(constant, 1, spread))


def _start(sizes, settings, networks, bias, generator):
    """Weights and biases of all networks, He's initialisation; the last bias is the mean target."""
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        weights = torch.randn(networks, outputs, inputs, generator=generator)
        layers.append([weights * np.sqrt(2 / inputs), torch.zeros(networks, 1, outputs)])
    layers[-1][0] *= 0.1
    layers[-1][1] += bias
    return [[parameter.requires_grad_() for parameter in layer] for layer in layers]


def _forward(layers, values):
    for number, (weights, bias) in enumerate(layers):
        values = torch.baddbmm(bias, values.relu() if number else values, weights.mT)
    return values


def _side_by_side(layers, formats, csr):
    """One network's layers, whose outputs are the mean of the members', times less csr's."""
    members = len(layers[0][0])
    merged = []
    for number, (weights, bias) in enumerate(layers):
        if number == 0:
            merged.append((np.concatenate(weights), np.concatenate(bias)))
        elif number + 1 < len(layers):
            blocks = torch.block_diag(*map(torch.from_numpy, weights))
            merged.append((blocks.numpy(), np.concatenate(bias)))
        else:
            weights, bias = np.hstack(weights) / members, bias.mean(axis=0)
            weights[:formats] -= weights[csr].copy()
            bias[:formats] -= bias[csr].copy()
            merged.append((weights, bias))
    return merged


def _tensor(array):
    return torch.tensor(np.asarray(array), dtype=torch.float32)


class _Sampler:
    """Draws the cases of a step, for every part its own."""

    def __init__(self, cases, parts, settings, generator):
        self.parts_, self.settings_, self.generator_ = parts, settings, generator
        standardisations = [_standardisation(cases.inputs[rows]) for rows in parts]
        self.offset, self.scale = map(np.array, zip(*standardisations))
        self.inputs_ = _tensor((cases.inputs - self.offset[:, None]) * self.scale[:, None])
        wanted = targets(cases)
        self.wanted = _tensor(np.where(np.isfinite(wanted), wanted, 0))
        self.ran_ = torch.tensor(cases.ran)
        self.losses_ = _tensor(np.minimum(cases.losses, 10))
        self.weights_ = torch.zeros(len(parts), len(cases))
        for weights, rows in zip(self.weights_, parts):
            weights[rows] = _tensor(_weights(cases.kind[rows]))

    def __call__(self):
        """Noisy inputs (networks x cases x I), and what the loss wants."""
        shape = (len(self.parts_), self.settings_.members, self.settings_.batch, -1)
        drawn = torch.stack([torch.as_tensor(rows)[torch.randint(
            len(rows), (self.settings_.batch,), generator=self.generator_)] for rows in self.parts_])
        part = torch.arange(len(self.parts_))[:, None]
        inputs = self.inputs_[part, drawn][:, None].expand(shape)
        noise = torch.randn(inputs.shape, generator=self.generator_)
        constants = (self.wanted[drawn], self.ran_[drawn], self.losses_[drawn],
                     self.weights_[part, drawn])
        return ((inputs + self.settings_.noise * noise).flatten(0, 1),
                [constant[:, None] for constant in constants])


def train(cases, parts, settings):
    """One network for each of the parts, rows of `cases`; the same for the same arguments.

    They are trained at once for speed, and know nothing of each other's rows.
    """
    generator = torch.Generator().manual_seed(settings.seed)
    sampler = _Sampler(cases, parts, settings, generator)
    bias = torch.stack([sampler.wanted[rows].mean(0) for rows in parts])
    sizes = [cases.inputs.shape[1], *settings.hidden, bias.shape[1]]
    layers = _start(sizes, settings, len(parts) * settings.members,
                    bias.repeat_interleave(settings.members, 0)[:, None], generator)
    optimizer = torch.optim.AdamW(
        [{"params": [weights for weights, _ in layers], "weight_decay": settings.decay},
         {"params": [bias for _, bias in layers], "weight_decay": 0.0}], lr=settings.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.steps)
    for _ in range(settings.steps):
        optimizer.zero_grad()
        inputs, constants = sampler()
        outputs = _forward(layers, inputs).unflatten(0, (len(parts), settings.members))
        times, conversions = outputs.tensor_split([len(cases.formats)], -1)
        outputs = torch.cat([times - times[..., [cases.csr]], conversions], -1)
        _loss(outputs, *constants, settings).backward()
        optimizer.step()
        schedule.step()
    trained = [[array.detach().double().unflatten(0, (len(parts), settings.members)).numpy()
                for array in (weights, bias[:, 0])] for weights, bias in layers]
    return [Network(sampler.offset[part], sampler.scale[part],
                    _side_by_side([(weights[part], bias[part]) for weights, bias in trained],
                                  len(cases.formats), cases.csr))
            for part in range(len(parts))]


def write(path, network, cases, settings):
    """The network file, of the worthwhile formats; read again, it must give the same outputs."""
    columns = worthwhile(cases)
    rows = [*columns, *(len(cases.formats) + np.array(columns))]
    weights, bias = network.layers[-1]
    network = dataclasses.replace(network, layers=[*network.layers[:-1],
                                                   (weights[rows], bias[rows])])
    content = {
        "format_network": 1,
        "backend": cases.backend,
        "inputs": cases.input_names,
        "offset": network.offset.tolist(),
        "scale": network.scale.tolist(),
        "formats": [cases.formats[column] for column in columns],
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
