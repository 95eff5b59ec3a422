# %% [markdown]
# # What does DCQCN do to an incast?
# 16 senders, one receiver, with DCQCN off and on. Run the cells in the folder of the repository, in an editor that knows `# %%`,
# or all of them with `python3 io/python/examples/what_if.py`. They take seconds.

# %%
import tempfile

import heddle

folder = tempfile.mkdtemp(prefix="heddle_what_if_")

# %% [markdown]
# ## The configuration
# A file with changes. What is not set has its default; the program checks it, and says what it will cost.

# %%
config = heddle.Config("configs/incast.toml", {"generator.0.bytes": "4 MiB"})
print(config.check())

# %%
parameters = heddle.config.parameters().set_index("key")
print(parameters.loc["dcqcn.enabled", ["default", "type", "help"]])

# %% [markdown]
# ## One run

# %%
run = heddle.run(config, f"{folder}/off.h5")
done = run.messages().query("finish_ps >= 0")
print(f"{len(done)} messages, the last one after {done.finish_ps.max() / 1e9:.2f} ms; PFC pauses: {run.attrs['pfc_pauses']}")

# %%
print(run.links().nlargest(5, "paused_ps")[["src_name", "dst_name", "paused_ps", "use"]])

# %% [markdown]
# Where the bytes wait: the deepest queue of every tier, and when it was so deep.

# %%
queue = run.series("queue_bytes")
print(queue.max("time_ps").to_series() / 1e6, queue.idxmax("time_ps").to_series() / 1e6)

# %% [markdown]
# ## The question, over five seeds
# A configuration for every combination, as many at a time as this machine has cores.

# %%
many = heddle.sweep(config, {"dcqcn.enabled": [False, True], "simulation.seed": range(1, 6)}, f"{folder}/many")
messages = many.messages(["finish_ps", "cnps"])
last_ms = messages.groupby(many.axes).finish_ps.max().unstack("simulation.seed") / 1e9
print(last_ms)

# %% [markdown]
# What the network pays for it: pauses in all, by tier.

# %%
paused_ms = many.links().groupby(["dcqcn.enabled", "simulation.seed", "tier"]).paused_ps.sum() / 1e9
print(paused_ms.groupby(level=["dcqcn.enabled", "tier"]).agg(["mean", "min", "max"]))

# %% [markdown]
# As an array with named axes, for whatever comes next.

# %%
array = paused_ms.to_xarray()
print(array.mean("simulation.seed"))
