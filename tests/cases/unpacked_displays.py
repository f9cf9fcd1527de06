def calls(self, func, args, kwargs):
    self.run(func, *args, **kwargs)
    self.run(*args, *[func, *args], **kwargs, **{**kwargs, "a": 1})
    return [*args, *[func, *args]], {**kwargs, **{"b": 2, **kwargs}}
