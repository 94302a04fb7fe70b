import type { PersonKey } from './people.ts';

/** What a flag does in one environment: `on`, `off`, `40%`, or `2 rules`. */
export type ShopState = string;

/** One flag of the shop. */
export interface ShopFlag {
  readonly key: string;
  readonly name: string;
  readonly classification: 'release' | 'experiment' | 'ops_killswitch' | 'permission' | 'migration';
  readonly development: ShopState;
  readonly staging: ShopState;
  readonly production: ShopState;
  readonly tags: readonly string[];
  readonly status: 'active' | 'stale' | 'draft';
  readonly owner: PersonKey;
  /** Evaluations in production within 24 hours. */
  readonly evaluations: number;
  readonly ageDays: number;
}

// key | name | kind | development | staging | production | tags | status | owner | evaluations in 24 h | age in days
const TABLE = `
checkout-layout|Checkout layout|release|on|4 rules|40%|checkout|active|jonas|1900000|34
free-shipping-from|Free shipping from|experiment|on|on|50%|checkout pricing|active|aiko|1200000|19
stop-new-orders|Stop new orders|ops_killswitch|off|off|off|ops checkout|active|mara|2400000|730
guest-checkout|Guest checkout|release|on|on|on|checkout|stale|mara|1900000|118
express-pay-buttons|Express pay buttons|release|on|3 rules|10%|checkout payments|active|jonas|884000|12
payments-ideal-2|iDEAL 2.0|migration|on|on|25%|payments|active|sam|412000|41
payments-klarna|Klarna in instalments|release|on|2 rules|2 rules|payments|active|sam|401000|63
payments-card-retry|Retry failed cards|release|on|on|on|payments|active|sam|96300|27
stop-klarna|Turn off Klarna|ops_killswitch|off|off|off|ops payments|active|sam|401000|365
stop-gift-cards|Turn off gift cards|ops_killswitch|off|off|off|ops payments|active|sam|88100|365
search-ranking-v3|Search ranking v3|experiment|on|on|50%|search|active|aiko|3100000|8
search-typos|Typo-tolerant search|release|on|on|on|search|stale|aiko|3100000|97
search-suggestions|Search suggestions|release|1 rules|on|on|search|active|aiko|2700000|52
search-read-replica|Search from the replica|migration|on|on|60%|search ops|active|mara|3100000|23
search-by-photo|Photo search|release|on|off|off|search app|draft|aiko|0|3
pdp-reviews-first|Product page: reviews first|experiment|on|on|off|catalogue|active|aiko|0|5
pdp-size-guide|Size guide|release|on|on|on|catalogue|active|jonas|1400000|44
pdp-back-in-stock|Back-in-stock mail|release|on|on|3 rules|catalogue mail|active|jonas|740000|31
pdp-bundles|Bundle offers|release|on|2 rules|off|catalogue pricing|active|aiko|0|9
pdp-360|360° pictures|release|on|on|on|catalogue|stale|jonas|0|203
stock-per-store|Stock shown per store|release|on|on|20%|catalogue stores|active|mara|612000|16
member-prices|Member prices|permission|on|4 rules|4 rules|pricing|active|mara|1800000|365
staff-discount|Staff discount|permission|1 rules|1 rules|1 rules|pricing|active|mara|322000|730
price-rounding|Round prices to .95|release|on|on|on|pricing|active|aiko|1800000|38
price-ex-vat|Show price without VAT|permission|2 rules|2 rules|2 rules|pricing b2b|active|mara|203000|365
price-service-v2|Price service v2|migration|on|on|off|pricing|active|sam|0|14
loyalty-at-checkout|Loyalty points at checkout|release|on|on|30%|loyalty checkout|active|jonas|577000|21
loyalty-tiers|Loyalty tiers|release|on|off|off|loyalty|draft|jonas|0|2
loyalty-birthday|Birthday voucher|release|on|on|on|loyalty mail|active|aiko|18400|66
refer-a-friend|Refer a friend|release|on|2 rules|off|loyalty|active|aiko|0|11
cart-drawer|Cart drawer|release|on|on|on|cart|stale|jonas|2200000|141
cart-save|Save cart for later|release|on|on|on|cart|active|jonas|904000|48
cart-store-v2|Cart in the session store|migration|on|on|80%|cart|active|sam|2200000|36
cart-reminder|Cart reminder mail|experiment|on|on|50%|cart mail|active|aiko|61200|17
delivery-promise|Delivery promise|release|on|on|3 rules|delivery|active|mara|1100000|29
delivery-hour|Pick a delivery hour|release|on|2 rules|5%|delivery|active|mara|166000|7
delivery-lockers|Parcel lockers|release|on|on|on|delivery stores|active|mara|488000|58
delivery-green|Carbon-neutral default|release|on|off|off|delivery|active|mara|0|4
stop-same-day|Stop same-day delivery|ops_killswitch|off|off|off|ops delivery|active|mara|310000|365
returns-no-label|Returns without a label|release|on|on|2 rules|returns|active|sam|42700|25
returns-instant-refund|Instant refund|release|on|1 rules|1 rules|returns payments|active|sam|12900|33
returns-reasons-v2|Return reasons v2|release|on|on|on|returns|active|sam|42700|49
mail-order-v2|New order mail|migration|on|on|on|mail|active|jonas|71500|30
mail-provider-b|Mail through the second provider|ops_killswitch|off|off|off|ops mail|active|sam|133000|210
app-home-v4|App: new home|release|on|3 rules|15%|app|active|jonas|655000|10
app-biometrics|App: biometric sign-in|release|on|on|2 rules|app account|active|jonas|298000|45
app-force-update|App: force update|ops_killswitch|off|off|1 rules|ops app|active|jonas|655000|730
account-passkeys|Passkeys|release|on|25%|25%|account|active|sam|187000|20
account-delete|Delete my account|permission|on|on|on|account|active|mara|187000|365
account-address-lookup|Address look-up|release|on|on|on|account|active|aiko|241000|55
help-chat|Chat in the help centre|release|on|on|3 rules|help|active|aiko|93000|28
help-assistant|Answers by assistant|release|2 rules|1 rules|off|help|active|aiko|0|6
stop-help-chat|Close the chat|ops_killswitch|off|off|off|ops help|active|aiko|93000|300
wishlist-share|Wish list sharing|release|on|on|on|catalogue|active|jonas|66000|72
store-events|Store events|release|on|off|off|stores|draft|mara|0|1
b2b-quick-order|B2B quick order|permission|on|2 rules|2 rules|b2b|active|mara|8200|180
b2b-quotes|B2B quotes|release|on|1 rules|off|b2b|active|mara|0|13
cookie-banner-v3|Cookie banner v3|release|on|on|on|legal|active|sam|2900000|39
read-only-shop|Read-only shop|ops_killswitch|off|off|off|ops|active|mara|4000000|730
images-avif|Image format AVIF|migration|on|on|90%|performance|active|sam|5600000|22
prefetch-pdp|Prefetch product pages|experiment|on|on|50%|performance|active|sam|2000000|15
`;

const OWNERS: Readonly<Record<string, PersonKey>> = {
  mara: 'admin',
  sam: 'secondAdmin',
  jonas: 'editor',
  aiko: 'keptEditor',
};

/** All flags, oldest first. */
export const shopFlags: readonly ShopFlag[] = TABLE.trim()
  .split('\n')
  .map(readRow)
  .toSorted((a, b) => b.ageDays - a.ageDays);

function readRow(line: string): ShopFlag {
  const [key, name, kind, development, staging, production, tags, status, owner, evaluations, age] =
    line.split('|') as [string, string, ShopFlag['classification'], ...string[]];
  return {
    key,
    name,
    classification: kind,
    development: development!,
    staging: staging!,
    production: production!,
    tags: tags!.split(' '),
    status: status as ShopFlag['status'],
    owner: OWNERS[owner!]!,
    evaluations: Number(evaluations),
    ageDays: Number(age),
  };
}
