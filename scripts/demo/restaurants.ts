/** A dish of a menu; `category` by key. */
export interface DemoDish {
  readonly name: string;
  readonly price: number;
  readonly description?: string;
  readonly vegetarian?: boolean;
  readonly category?: string;
  readonly ingredients?: readonly {
    readonly name: string;
    readonly origin?: string;
    readonly allergen?: boolean;
  }[];
}

/** A restaurant; categories, chef, similar ones and pictures by key. */
export interface DemoRestaurant {
  readonly key: string;
  readonly name: string;
  readonly tagline: string;
  readonly description: string;
  readonly cuisine: string;
  readonly priceLevel: number;
  readonly rating: number;
  readonly seats: number;
  readonly visits: string;
  readonly openSince: string;
  readonly opensAt: string;
  readonly closesAt: string;
  readonly takesReservations: boolean;
  readonly street: string;
  readonly district: string;
  readonly at: readonly [latitude: number, longitude: number];
  readonly categories: readonly string[];
  readonly chef: string | null;
  readonly similar: readonly string[];
  readonly cover: string;
  readonly quote?: readonly [text: string, author: string];
  readonly menu: readonly DemoDish[];
  /** `draft`: never published. `modified`: published, then changed. */
  readonly status: 'published' | 'draft' | 'modified';
}
