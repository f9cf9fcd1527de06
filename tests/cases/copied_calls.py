def on_another_line(self):
    if app:
        with b:
            return c
    return self.run(args, app=app, **(
        d() if options else e))
