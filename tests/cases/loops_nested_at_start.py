# differs: where the outer loop's test stands in front of an endless loop, the two share a beginning
def read(self, size):
    while size > 0:
        while True:
            start, stop = self.map[self.index]
            if start <= self.position < stop:
                break
            else:
                self.index += 1
                if self.index == len(self.map):
                    self.index = 0
        size -= stop - start
    return size
