def in_a_while(queue, handler):
    while True:
        item = queue.get()
        try:
            handler(item)
        except ValueError:
            log(item)
            continue
        except KeyError:
            log("oops")
        else:
            done(item)
        finally:
            queue.done()


def with_a_name(queue, handler):
    for item in queue:
        try:
            handler(item)
        except ValueError as error:
            log(item, error)
            continue
        except KeyError:
            log("oops")
        finally:
            queue.done()


def in_the_body(queue, handler):
    for item in queue:
        try:
            if handler(item):
                continue
            log(item)
        finally:
            queue.done()


def in_every_clause(queue, handler):
    for item in queue:
        try:
            if handler(item):
                continue
            return item
        except ValueError:
            log(item)
        finally:
            queue.done()
