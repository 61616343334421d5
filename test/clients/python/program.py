"""What a program does with the client that openapi-python-client makes: python program.py URL TOKEN IDENTIFIER PASSWORD."""

import io
import json
import sys
from typing import TypeVar

from content_api import AuthenticatedClient, Client
from content_api.api.auth import sign_in
from content_api.api.category import create_category, delete_category, get_category, list_category, update_category
from content_api.api.files import upload
from content_api.api.restaurant import list_restaurant
from content_api.models import (
    CategoryCreateRequest,
    CategoryFilters,
    CategoryInput,
    CategoryPopulateObject,
    RestaurantPopulateOptions,
    CategoryUpdate,
    CategoryUpdateRequest,
    ErrorResponse,
    FileInfo,
    RestaurantField,
    RestaurantFilters,
    RestaurantPopulateObject,
    SignInBody,
    SortOrder,
    TextOperators,
    UploadRequest,
)
from content_api.models.category_sort_object import CategorySortObject
from content_api.types import File

from nested import NestedClient

T = TypeVar("T")


def answer(given: T | ErrorResponse | None) -> T:
    if given is None or isinstance(given, ErrorResponse):
        raise RuntimeError(given.error.message if given else "a status that the description does not have")
    return given


def run(url: str, token: str, identifier: str, password: str) -> dict[str, object]:
    signed = answer(sign_in.sync(client=Client(url), body=SignInBody(identifier, password)))
    client = AuthenticatedClient(url, token)
    client.set_httpx_client(NestedClient(base_url=url, headers={"Authorization": f"Bearer {token}"}))

    first = answer(create_category.sync(client=client, body=CategoryCreateRequest(CategoryInput(name="Python one"))))
    second = answer(create_category.sync(client=client, body=CategoryCreateRequest(CategoryInput(name="Python two"))))
    found = answer(
        list_category.sync(
            client=client,
            filters=CategoryFilters(or_=[CategoryFilters(name="Python one"), CategoryFilters(name=TextOperators(ends_with="two"))]),
            sort=[CategorySortObject(name=SortOrder.DESC)],
            populate=CategoryPopulateObject(restaurants=RestaurantPopulateOptions(fields=[RestaurantField.NAME])),
            paginationpage_size=5,
        )
    )
    italian = answer(
        list_restaurant.sync(
            client=client,
            filters=RestaurantFilters(categories=CategoryFilters(name="Italian")),
            populate=RestaurantPopulateObject(categories=True, blocks=True),
            fields=[RestaurantField.NAME, RestaurantField.CUISINE],
        )
    )
    changed = answer(
        update_category.sync(
            first.data.document_id, client=client, body=CategoryUpdateRequest(CategoryUpdate(name="Python three"))
        )
    )
    read = answer(get_category.sync(first.data.document_id, client=client))
    files = answer(
        upload.sync(
            client=client,
            body=UploadRequest(
                files=[File(io.BytesIO(b"from Python"), "python.txt", "text/plain")],
                file_info=[FileInfo(alternative_text="A text")],
            ),
        )
    )
    gone = [delete_category.sync_detailed(one.data.document_id, client=client) for one in (first, second)]
    missing = get_category.sync(first.data.document_id, client=client)
    return {
        "signedIn": signed.user.username,
        "found": [one.name for one in found.data],
        "totals": found.meta.pagination.total if found.meta.pagination else None,
        "italian": [
            {"categories": [one.name for one in restaurant.categories or []], "blocks": len(restaurant.blocks or [])}
            for restaurant in italian.data
        ],
        "changed": [changed.data.name, read.data.name],
        "uploaded": [[one.name, one.alternative_text] for one in files] if isinstance(files, list) else None,
        "gone": [int(one.status_code) for one in gone],
        "missing": [missing.error.status, missing.error.name] if isinstance(missing, ErrorResponse) else None,
    }


if __name__ == "__main__":
    print(json.dumps(run(*sys.argv[1:5])))
