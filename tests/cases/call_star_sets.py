def stars(self, deferred):
    only(*{field.name for field in self.fields if field.name not in deferred})
    only(*{field.name: 1 for field in self.fields}, **{field.name: 1 for field in self.fields})
    only(1, *{field for field in self.fields}, *{field for field in deferred})
    only(*set())(*{})(*{1, 2})(*{self, deferred})

    class Inner(*{base for base in deferred}, **{name: 1 for name in self}):
        pass

    return [*{a for a in self}], {*{a for a in self}}, {*{a: 1 for a in self}}, (*{a: 1 for a in self},)


only(*{x for x in y})
