"""A synthesised fleet for a real pack set. The clients' loads follow the layout, with noise. Some clients lie."""
import random

from seekless.fleet import Catalog, Drive, Run, write_upload


class Fleet:
    def __init__(self, packs, seed=1):
        self.packs = packs
        self.catalog = Catalog.read(packs)
        self.random = random.Random(seed)
        assets = len(self.catalog.paths)
        self.orders = [list(range(number % 7, assets, 2 + number % 3)) for number in range(len(self.catalog.scenarios))]

    def token(self):
        return self.random.randbytes(16)

    def run(self, scenario, order=None):
        order = list(order or self.orders[scenario])
        for _ in range(len(order) // 20):
            i = self.random.randrange(len(order) - 1)
            order[i], order[i + 1] = order[i + 1], order[i]
        for _ in range(len(order) // 50):
            order.pop(self.random.randrange(len(order)))
        return Run(scenario, order)

    def upload(self, day, scenarios, client=None, order=None):
        drive = Drive(media=1 + self.random.randrange(2), seek_us=self.random.randrange(1, 20_000), reads=100, seeks=10)
        return write_upload(self.catalog, client or self.token(), day,
                            [self.run(scenario, order) for scenario in scenarios], [drive])

    def write(self, folder, clients, days=(20_000,), orders=None):
        """Writes one file per client and day; `orders` maps (scenario, day) to another order."""
        folder.mkdir(parents=True, exist_ok=True)
        for day in days:
            for number in range(clients):
                token = self.token()
                runs = [self.run(scenario, (orders or {}).get((scenario, day))) for scenario in range(len(self.orders))]
                (folder / f"{day}-{number:05}.up").write_bytes(write_upload(self.catalog, token, day, runs))
        return folder
